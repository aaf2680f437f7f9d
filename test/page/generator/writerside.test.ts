import { expect, test } from 'bun:test'
import { sitePage, siteOf, siteText, type SiteSource } from '../../support/page/site-pages.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const source: SiteSource = {
  generator: 'writerside',
  config: 'writerside.cfg',
  files: {
    'writerside.cfg':
      '<ihp version="2.0">\n<topics dir="pages"/>\n<snippets src="code"/>\n</ihp>\n',
    'v.list': '<vars><var name="tool_version" value="3.1"/></vars>',
    'code/x/Main.kt': 'package x\n\nfun main() {\n    run()\n}\n',
    'pages/lib.topic':
      '<topic id="lib">\n<snippet id="add">\n  <p>\n    Add <code>%artifact%</code> &amp; go to\n' +
      '    <a href="b.md">the\n    list</a>:\n  </p>\n  <tabs>\n    <tab title="Gradle">\n' +
      '      <code-block lang="Kotlin">\n        implementation("%artifact%")\n' +
      '          // &lt;more&gt;\n      </code-block>\n    </tab>\n  </tabs>\n</snippet>\n</topic>\n',
  },
}

const path = 'pages/a.md'
const shown = (text: string) => siteText(source, text, path)

test('reads folders and variables from the configuration', async () => {
  const site = await siteOf(source)
  expect([site.folders, site.bases]).toEqual([['pages'], ['code', 'pages', '']])
  expect(Object.fromEntries(site.variables)).toEqual({ tool_version: '3.1' })
  const files = { 'writerside.cfg': 'no XML' }
  await expect(siteOf({ ...source, files })).rejects.toThrow('no site')
})

test('reads the title from a comment, and fills in variables', async () => {
  const files = {
    ...source.files,
    [path]: '[//]: # (title: Tool %tool_version%)\n\nGet %tool_version%, 5 %, %other%.\n',
  }
  const { title, text } = await sitePage({ ...source, files }, path)
  expect(title).toBe('Tool 3.1')
  expect(text).toContain('Get 3.1, 5 %, %other%.')
})

test('fills an empty fence with the lines of the file that the attributes below it name', async () => {
  const text = '```kotlin\n```\n{src="x/Main.kt" include-lines="3,5"}\n'
  expect(await shown(text)).toBe('```kotlin\nfun main() {\n}\n```\n')
  expect(await shown('  <code-block src="x/Main.kt" include-lines="3" lang="kotlin"/>\n')).toBe(
    '  ```kotlin\n  fun main() {\n  ```\n',
  )
})

test('includes a snippet from a library, with variables of the page or of the include', async () => {
  const expected =
    'Add `kit` & go to\n[the\nlist](b.md):\n\n**Gradle**\n\n```kotlin\nimplementation("kit")\n' +
    '  // <more>\n```'
  const self = '<var name="artifact" value="kit"/>\n<include from="lib.topic" element-id="add"/>\n'
  const nested =
    '<include from="lib.topic" element-id="add">\n<var name="artifact" value="kit"/>\n</include>\n'
  for (const text of [self, nested]) {
    const plain = (await shown(text)).replace(/\n{2,}/g, '\n\n').trim()
    expect(plain).toBe(expected)
  }
  expect(await shown('<include from="lib.topic" element-id="gone"/>\n')).toContain(
    '(The file lib.topic lacks the part that the site shows here.)',
  )
})

test('shows tabs with their names, and removes attributes and summaries', async () => {
  const text =
    '## Setup {id="set-up"}\n\n<link-summary>\nFor lists.\n</link-summary>\n\n<tabs group="os">\n' +
    '<tab title="Linux" group-key="l">\n\nRun it.\n{style="note"}\n\n</tab>\n</tabs>\n' +
    '<tip>\nUse `{a="b"}` <b>here</b>.\n</tip>\n'
  expect((await shown(text)).replace(/\n{2,}/g, '\n\n')).toBe(
    '## Setup\n\n**Linux**\n\nRun it.\n\n**Tip:**\nUse `{a="b"}` **here**.\n',
  )
})

test('takes time proportional to the length of the page', async () => {
  const parts = ['<include from="a" element-id="b">\n', '<tab title="', '{a="b" ', '%a', '```\n']
  for (const part of parts) {
    const startedAt = usedCpuMs()
    await shown(part.repeat(part.includes('from=') ? 2000 : 20_000))
    expect(usedCpuMs() - startedAt).toBeLessThan(2000)
  }
})

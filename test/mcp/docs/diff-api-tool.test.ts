import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { estimateTokens } from '../../../src/platform/tokens.ts'
import { commit, git } from '../../support/repository.ts'
import { connectRaw, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
const many = Array.from({ length: 1200 }, (_, at) => `def name_${at}(first, second=${at}): ...\n`)
const versions = {
  1: 'def off(): ...\ndef on(mm=1, **more): ...\n',
  2: 'def on(mm=2, *, by=None): ...\n',
  3: many.join(''),
}
const repository = join(home.path, 'lamp')
const source = { kind: 'git_repo' as const, url: `file://${repository}`, docsPaths: ['docs'] }
for (const [version, text] of Object.entries(versions)) {
  commit(repository, { 'setup.py': '', 'docs/a.md': '# A\n', 'lamp/__init__.py': text })
  git(repository, 'tag', version)
  await home.og.add({ library: 'lamp', version, source, lockTimeoutMs: 10_000 })
}
await home.add('prose', '1', { 'a.md': '# A\n' })
const client = disposeAfterAll(await connectRaw(home.face()))

test('lists removed and changed symbols with their parameters', async () => {
  const given = { from: 'lamp@1', to: 'lamp@2' }
  const { content, structuredContent } = await client.call('diff_api_tool', given)
  expect(content[0].text).toBe(
    'lamp 1 → lamp 2: 1 removed, 0 renamed, 1 changed, 0 deprecated, 0 added\n' +
      '```\n- lamp.off\n~ lamp.on\n    - **more\n    ~ mm=1 → mm=2\n    + by=None\n```\n',
  )
  expect(structuredContent).toMatchObject({
    from: { library: 'lamp', version: '1' },
    changes: [{ status: 'removed' }, { status: 'changed', before: 'def on(mm=1, **more)' }],
    omitted: 0,
  })
})

test('truncates a long answer, and says how many changes it leaves out', async () => {
  const given = { from: 'lamp@2', to: 'lamp@3' }
  const { content, structuredContent } = await client.call('diff_api_tool', given)
  expect(estimateTokens(content[0].text)).toBeWithin(3_000, 4_300)
  const { changes, omitted } = structuredContent
  expect(changes[0]).toMatchObject({ status: 'removed', name: 'lamp.on' })
  expect(changes.length + omitted).toBe(1201)
  expect(content.at(-1).text).toEndWith(
    `${omitted} more changes; name some with the argument text.`,
  )
  const one = await client.call('diff_api_tool', { ...given, text: 'name_599' })
  expect(one.structuredContent.changes).toHaveLength(1)
})

test('reports versions without an API reference or without an index', async () => {
  for (const [from, to, reason] of [
    ['lamp@1', 'lamp@9', 'Version "9" not found'],
    ['lamp@1', 'prose@1', 'API'],
  ]) {
    const { isError, content } = await client.call('diff_api_tool', { from, to })
    expect(isError).toBe(true)
    expect(content[0].text).toContain(reason)
  }
})

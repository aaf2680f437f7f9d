import { expect, test } from 'bun:test'
import { exampleFiles } from '../../../../src/page/generator/hugo/clients-example.ts'
import { pageSiteOf, readSite } from '../../../../src/page/generator/generators.ts'
import { countPageLeftovers } from '../../../../src/page/include/leftover.ts'
import { parsePage } from '../../../../src/page/parse.ts'

const files: Record<string, string> = {
  'local_examples/cmds/redis-py/pipe.py':
    '# EXAMPLE: pipe\n# BINDER_ID x\nimport redis\n# HIDE_START\nr = redis.Redis()\n# HIDE_END\n' +
    '\n# STEP_START basic\nwith r.pipeline() as p:\n    p.get("a")\n# REMOVE_START\nassert p\n' +
    '# REMOVE_END\n    p.execute()\n# STEP_END\n\n# STEP_START other\nr.close()\n# STEP_END\n',
  'local_examples/tmp/lettuce-async/Pipe.java':
    '// EXAMPLE: pipe\nclass Pipe {\n    // STEP_START basic\n    x.get("a");\n    // STEP_END\n}\n',
  'local_examples/tmp/lettuce-reactive/Pipe.java':
    '// EXAMPLE: pipe\nclass Pipe {\n    // STEP_START other\n    y;\n    // STEP_END\n}\n',
  'local_examples/tmp/readme.md': 'No example.\n',
}

async function check(source: string, expected: string): Promise<void> {
  const read = async (path: string) => files[path] ?? null
  const config = { generator: 'hugo', path: 'hugo.toml', root: '', text: '' } as const
  const paths = Object.keys(files).filter((path) => exampleFiles.test(path))
  const path = 'content/develop/page.md'
  const site = pageSiteOf((await readSite({ ...config, paths }, read))!, path)
  const file = { bytes: Buffer.from(source), path, url: 'x:/', site }
  const page = await parsePage(file, { from: path, read })
  expect(page.text.trim()).toBe(expected)
}

const example = (args: string, inner = '\n') =>
  `{{< clients-example ${args} >}}${inner}{{< /clients-example >}}`

const python = 'Python:\n\n```python\nwith r.pipeline() as p:\n    p.get("a")\n    p.execute()\n```'
const java = 'Java-Async:\n\n```java\nx.get("a");\n```'

test('shows a step of an example in each client that has it', async () => {
  await check(example('set="pipe" step="basic"'), `${python}\n\n${java}`)
  await check(`a\n${example('pipe basic', '')}\nb`, `a\n${python}\n\n${java}\n\nb`)
})

test('shows only the requested clients', async () => {
  await check(example('set="pipe" step="basic" lang_filter="Python"'), python)
  await check(example('set="pipe" step="basic" lang_filter="Java-Async (x),Go"'), java)
  await check(example('pipe basic Python'), python)
})

test('shows the whole example without hidden lines if no step is requested', async () => {
  await check(
    example('set="pipe" lang_filter="Python"'),
    'Python:\n\n```python\nimport redis\n\nwith r.pipeline() as p:\n    p.get("a")\n' +
      '    p.execute()\n\nr.close()\n```',
  )
})

test('keeps the content of an example', async () => {
  const inner = '\n> GET a\n"b"\n'
  await check(example('set="pipe" step="basic"', inner), '```\n> GET a\n"b"\n```')
})

test('names a missing example, and counts it', async () => {
  const line = '(The source lacks the example none basic (Go), which the site shows here.)'
  await check(example('set="none" step="basic" lang_filter="Go"'), line)
  const page = { path: 'a.md', title: 'A', text: `Some text of the page.\n\n${line}\n` }
  expect(countPageLeftovers({ ...page, markup: 'markdown' })).toMatchObject({
    absent: 1,
    example: line,
  })
})

test('names the missing step of an example', async () => {
  await check(
    example('set="pipe" step="none"'),
    '(The source lacks the example pipe none, which the site shows here.)',
  )
})

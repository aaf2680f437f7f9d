import { expect, test } from 'bun:test'
import { addExample, asksForExample, asksHow } from '../../../src/search/excerpt/example.ts'
import { excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'

const focus = { terms: ['task', 'respons'], nameScore: () => 0 }
const intro = '# Tasks\n\nRun tasks after the response.\n\n'

function shown(text: string, end = intro.length): string {
  const outline = outlinePage({ text, markup: 'markdown' })
  const excerpt = { ranges: [{ start: 0, end }], frame: [] }
  return excerptText(outline, addExample(outline, excerpt, { focus, wantsExample: false }))
}

test('recognises questions whose answer is code', () => {
  for (const query of [
    'how do I wait',
    'example of a lock',
    'Can I nest them?',
    'show code for locks',
    'configure two locks',
  ]) {
    expect(asksHow(query)).toBe(true)
  }
  for (const query of [
    'what is a lock',
    'ReferenceError: show',
    'server.proxy',
    'test client',
    'locks',
  ]) {
    expect(asksHow(query)).toBe(false)
  }
})

test('adds the code of an earlier section only to an answer that has to have code', () => {
  const text = '# A\n\n## Use\n\n```py\nadd(task)\n```\n\n## Stop\n\nStop the task.\n'
  const outline = outlinePage({ text, markup: 'markdown' })
  const excerpt = { ranges: [{ start: text.indexOf('## Stop'), end: text.length }], frame: [] }
  const codeIn = (wantsExample: boolean) =>
    excerptText(outline, addExample(outline, excerpt, { focus, wantsExample }))
  expect(codeIn(true)).toContain('add(task)')
  expect(codeIn(false)).toBe('## Stop\n\nStop the task.')
  const queries = ['show me a task', 'code to stop a task', 'how do I stop a task', 'a status code']
  expect(queries.map(asksForExample)).toEqual([true, true, false, false])
})

test('adds the best code of the next sections with its heading and its introduction', () => {
  const code = 'Add a task:\n\n```py\ntasks.add(task)\n```\n'
  const other = '## Install\n\n```sh\npip install it\n```\n\n'
  expect(shown(`${intro}${other}## Use\n\n${code}`)).toBe(
    `${intro.trimEnd()}\n\n[…]\n\n## Use\n\n${code}`.trimEnd(),
  )
})

test('adds code from the same section', () => {
  const title = '# Tasks\n\nRun tasks after the response.\n\n'
  expect(shown(`${title}${'Word. '.repeat(20)}\n\n\`\`\`py\nx()\n\`\`\`\n`)).toContain('x()')
})

test('does not change an excerpt that has code or whose page has none', () => {
  const own = `${intro}\`\`\`py\nown()\n\`\`\`\n\n`
  expect(shown(`${own}## B\n\n\`\`\`py\nother()\n\`\`\`\n`, own.length)).toBe(own.trimEnd())
  expect(shown(`${intro}## B\n\nText.\n`)).toBe(intro.trimEnd())
})

test('adds code that is more relevant than the code in the excerpt', () => {
  const own = `${intro}Write a script:\n\n\`\`\`py\nprint()\n\`\`\`\n\n`
  const better = 'Run the task:\n\n```sh\nsend task --response\n```\n'
  expect(shown(`${own}${'Word. '.repeat(20)}\n\n${better}`, own.length)).toContain(
    'send task --response',
  )
})

test('adds code of a section before the excerpt if it is more relevant', () => {
  const text =
    '# Tasks\n\n## Run\n\n```py\nsend(task, response)\n```\n\n## Limits\n\nRun tasks with care.\n\n' +
    '```py\nlimit(1)\n```\n'
  const outline = outlinePage({ text, markup: 'markdown' })
  const ranges = [{ start: text.indexOf('## Limits'), end: text.length - 1 }]
  const looking = { focus, wantsExample: true }
  const found = excerptText(outline, addExample(outline, { ranges, frame: [] }, looking))
  expect(found).toStartWith('## Run\n\n```py\nsend(task, response)\n```\n\n')
  expect(found).toContain('limit(1)')
})

test('finds the code of a distant section for an example', () => {
  const sections = Array.from({ length: 9 }, (_, i) => `## Part ${i}\n\nText.\n\n`).join('')
  const text = `${intro}${sections}## Use\n\n\`\`\`py\nadd(task)\n\`\`\`\n`
  const outline = outlinePage({ text, markup: 'markdown' })
  const excerpt = { ranges: [{ start: 0, end: intro.length }], frame: [] }
  const codeIn = (wantsExample: boolean) =>
    excerptText(outline, addExample(outline, excerpt, { focus, wantsExample }))
  expect(codeIn(true)).toContain('add(task)')
  expect(codeIn(false)).not.toContain('add(task)')
})

test('prefers code to signatures and drawings', () => {
  const code = '## Use\n\n```py\nadd(task)\n```\n\n'
  const others = [
    '```ts [Signature]\ntask (response: Task): void\n```\n',
    '```\n+----------+\n| task     |\n| response |\n+----------+\n```\n',
    '```text\nthe task and its response\n```\n',
  ]
  for (const other of others) expect(shown(`${intro}${code}${other}`)).toContain('add(task)')
})

test('prefers code to its output', () => {
  const code = '## Use\n\nWrite:\n\n```py\nadd(task)\n```\n\n'
  const output = (lead: string) => `${lead}\n\n\`\`\`sql\nSELECT task, response\n\`\`\`\n`
  expect(shown(`${intro}${code}${output('It produces:')}`)).toContain('add(task)')
  expect(shown(`${intro}${code}${output('Or:')}`)).not.toContain('add(task)')
})

test('prefers code to a session for an example only', () => {
  const session = '```console\n$ run task response\na\nb\nc\nd\n```\n'
  const text = `${intro}## Use\n\n\`\`\`py\nadd(task)\n\`\`\`\n\n${session}`
  const outline = outlinePage({ text, markup: 'markdown' })
  const excerpt = { ranges: [{ start: 0, end: intro.length }], frame: [] }
  const codeIn = (wantsExample: boolean) =>
    excerptText(outline, addExample(outline, excerpt, { focus, wantsExample }))
  expect(codeIn(true)).toContain('add(task)')
  expect(codeIn(false)).toContain('$ run task')
})

/** Returns the excerpt from the text `from` to the end of the text `to`, with its example. */
function exampleIn(
  text: string,
  [from, to]: [string, string],
  { wantsExample = true, isShortened = false } = {},
): string {
  const outline = outlinePage({ text, markup: 'markdown' })
  const range = { start: text.indexOf(from), end: text.indexOf(to) + to.length }
  const wanted = { focus, wantsExample, isShortened }
  return excerptText(outline, addExample(outline, { ranges: [range], frame: [] }, wanted))
}

test('completes code that the excerpt cuts, for an example only', () => {
  const code = '```py\nadd(task)\nsend(response)\nwait()\n```'
  const text = `# Tasks\n\n${code}\n\nText.\n`
  expect(exampleIn(text, ['# Tasks', 'add(task)\n'])).toEndWith(code)
  expect(exampleIn(text, ['# Tasks', 'add(task)\n'], { wantsExample: false })).not.toContain('wait')
  const long = text.replace('wait()', 'wait()\n'.repeat(300))
  expect(exampleIn(long, ['# Tasks', 'add(task)\n'])).not.toContain('wait')
})

test('finds indented code, and code in lists for an example only', () => {
  expect(shown(`${intro}## Use\n\nSo:\n\n    add(task)\n`)).toContain('add(task)')
  const list = `${intro}## Use\n\n1. Add it:\n\n   \`\`\`py\n   add(task)\n   \`\`\`\n\n2. Wait.\n`
  expect(exampleIn(list, ['# Tasks', 'response.'])).toContain('   add(task)\n')
  expect(exampleIn(list, ['# Tasks', 'response.'])).not.toContain('Wait.')
  expect(exampleIn(list, ['# Tasks', 'response.'], { wantsExample: false })).not.toContain('add(')
})

test('prefers code to the signature of a symbol', () => {
  const signature = '# `task`\n\n```py\ndef task(response)\n```\n\n'
  const text = `${signature}Text.\n\n## Use\n\n    task()\n`
  expect(exampleIn(text, ['# `task`', 'Text.'])).toContain('task()\n'.trim())
  expect(exampleIn(text, ['# `task`', 'Text.'])).toContain('## Use')
})

test('adds two blocks that are about as relevant to an excerpt that is shortened', () => {
  const block = (n: number) => `## Part ${n}\n\n\`\`\`py\nadd(task, ${n})\n\`\`\`\n\n`
  const text = `${intro}${[1, 2, 3].map(block).join('')}`
  const codes = (isShortened: boolean) =>
    exampleIn(text, ['# Tasks', 'response.'], { isShortened }).match(/add\(task, \d\)/g)
  expect(codes(true)).toEqual(['add(task, 1)', 'add(task, 2)'])
  expect(codes(false)).toEqual(['add(task, 1)'])
})

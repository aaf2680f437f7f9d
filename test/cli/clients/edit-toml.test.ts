import { expect, test } from 'bun:test'
import { editToml, readToml } from '../../../src/cli/clients/edit.ts'

test('accepts a byte order mark, and rejects invalid TOML with its position', async () => {
  expect(await readToml('\ufeff[s.og]\na = 1', '/f')).toEqual({ s: { og: { a: 1 } } })
  expect(await readToml('', '/f')).toEqual({})
  await expect(readToml('a = 1\nb = = 2\n', '/f')).rejects.toThrow(
    expect.objectContaining({
      message: expect.stringMatching(
        /^Cannot edit \/f:2:\d+: it is not valid TOML \([^\n]+\); nothing was changed$/,
      ),
      hint: 'correct the file, then run the same command again',
    }),
  )
})

type Entries = Record<string, null | Record<string, unknown>>

async function check(text: string, entries: Entries, expected: string) {
  expect(await editToml(text, { section: 's', entries })).toBe(expected)
}

const og = { command: 'x' }
const table = '[s.og]\ncommand = "x"\n'

test('appends a new table after a blank line', async () => {
  await check('', { og }, table)
  await check('a = 1', { og }, `a = 1\n\n${table}`)
  await check('a = 1\r\n', { og }, 'a = 1\r\n\r\n[s.og]\r\ncommand = "x"\r\n')
  await check('', { og: { command: 'x', env: { K: 'v' } } }, `${table}\n[s.og.env]\nK = "v"\n`)
})

test('recognizes every form of a table header, including subtables', async () => {
  for (const head of ['s.og', 's."og"', `"s".'og'`, ' s . og ', 's.og.env']) {
    await check(`a = 1\n\n[${head}]\nk = 1\n\n[t]\n`, { og: null }, 'a = 1\n\n[t]\n')
  }
  await check('[[s.og.list]]\nk = 1\n[[s.og.list]]\nk = 2\n[t]\n', { og: null }, '[t]\n')
})

test('leaves tables with a similar name unchanged', async () => {
  const file = '[s.ogre]\nk = 1\n\n[s]\nog-memory = 1\n\n[s.og-memory]\nk = 2\n\n[x.s.og]\nk = 3\n'
  await check(file, { og: null }, file)
  await check(file, { og }, `${file}\n${table}`)
})

test('replaces a table in place without extra blank lines', async () => {
  await check('[s.og]\ncommand = "old"\n\n[t]\nk = 1\n', { og }, `${table}\n[t]\nk = 1\n`)
  await check('[t]\nk = 1\n\n[s.og]\ncommand = "old"\n', { og }, `[t]\nk = 1\n\n${table}`)
})

test('removes comments inside a table and keeps those above the next table', async () => {
  await check('# top\n[s.og]\n# in\nk = 1\n\n# of t\n[t]\n', { og: null }, '# top\n# of t\n[t]\n')
  await check('[s.og]\nk = 1\n# last\n', { og: null }, '# last\n')
  await check('[s.og]\nk = 1\n# of env\n[s.og.env]\nK = "v"\n[t]\n', { og: null }, '[t]\n')
})

test('ignores a missing table, and may leave an empty file', async () => {
  await check('a = 1\n', { og: null }, 'a = 1\n')
  await check(table, { og: null }, '')
})

import { expect, test } from 'bun:test'
import { editText, readSection, type EntryChange } from '../../../src/cli/clients/edit.ts'

type Format = 'json' | 'toml'
type Expected = string | RegExp

async function check(format: Format, text: string, change: EntryChange | null, expected: Expected) {
  const document = { path: '/f', format, text }
  const wanted = change ?? { section: 's', entries: { og: { command: 'x' } } }
  const edited = editText(document, wanted).catch((error: Error) => `refused: ${error.message}`)
  if (typeof expected === 'string') expect(await edited).toBe(expected)
  else expect(await edited).toMatch(expected)
}

const removal: EntryChange = { section: 's', entries: { og: null } }
const swap: EntryChange = { section: 's', entries: { og: { command: 'x' }, openground: null } }

test('keeps the comments, commas, indentation, line endings and byte order mark of JSON', async () => {
  await check('json', '', null, '{\n  "s": {\n    "og": {\n      "command": "x"\n    }\n  }\n}\n')
  await check(
    'json',
    '\ufeff// top\r\n{\r\n\t"a": [1, 2,], /* b */\r\n\t"s": {\r\n\t\t"z": {}, // z\r\n\t},\r\n}\r\n',
    null,
    '\ufeff// top\r\n{\r\n\t"a": [1, 2,], /* b */\r\n\t"s": {\r\n\t\t"z": {},\r\n' +
      '\t\t"og": {\r\n\t\t\t"command": "x"\r\n\t\t}, // z\r\n\t},\r\n}\r\n',
  )
  await check('json', '{\n  "s": {\n    "og": {}\n  }\n}\n', removal, '{\n  "s": {\n  }\n}\n')
  await check(
    'json',
    '{\n  "s": {\n    // first\n    "openground": { "command": "y" },\n    "b": 1\n  }\n}',
    swap,
    /^\{\n {2}"s": \{\n(?=.*"b": 1)(?=.*"og": \{\n {6}"command": "x"\n)(?!.*openground)/s,
  )
})

test('keeps all other lines of TOML', async () => {
  await check('toml', '', null, '[s.og]\ncommand = "x"\n')
  await check('toml', 'a = 1 # b\r\n', null, 'a = 1 # b\r\n\r\n[s.og]\r\ncommand = "x"\r\n')
  const file = `# top
model = "m"

[s.one]
args = [
  "[s.og]",
]

# ours
[s."og"] # old
command = "old"
[s.og.env]
K = "v"

# of two
[s.two]
command = "t"
`
  await check(
    'toml',
    file,
    null,
    `# top
model = "m"

[s.one]
args = [
  "[s.og]",
]

# ours
[s.og]
command = "x"

# of two
[s.two]
command = "t"
`,
  )
  await check('toml', '[s.og]\ncommand = "old"\n', removal, '')
  await check(
    'toml',
    'a = 1\n[s.openground]\nx = 1\n[t]\n',
    swap,
    'a = 1\n[t]\n\n[s.og]\ncommand = "x"\n',
  )
})

test('rejects an edit that would change other parts of the file', async () => {
  const refused = /^refused: Cannot edit \/f.*nothing was changed$/
  for (const text of ['{"s": ', '[]', '{"s": {"og": {}}} x', '<html>', '{"s": {]}}']) {
    await check('json', text, null, refused)
  }
  for (const text of [
    's = { og = { command = "y" } }',
    '[s]\nog.command = "y"',
    'a = ',
    's = {}',
  ]) {
    await check('toml', text, null, refused)
  }
  await check('json', '{\n  "a": 1\n  "b": 2\n}', null, /\/f:3:3: it is not valid JSON \(comma/)
  await check('toml', 'a = 1\nb = = 2\n', null, /\/f:2:\d+: it is not valid TOML/)
  await check('toml', 'x = """\n[s.og]\n"""\n[s.og]\na = 1\n', null, refused)
  const document = { path: '/f', format: 'json' as const, text: '{"s": []}' }
  await expect(readSection(document, 's')).rejects.toThrow('its "s" is not an object')
})

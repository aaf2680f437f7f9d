import { expect, test } from 'bun:test'
import { editJson, readJson } from '../../../src/cli/clients/edit.ts'

const refusal = (text: string) =>
  readJson(text, '/f').then(
    () => 'read',
    (error: Error & { hint?: string }) => `${error.message} (${error.hint})`,
  )

test('reads comments, trailing commas, a byte order mark and an empty file', async () => {
  expect(await readJson('\ufeff// a\n{"s": {"og": 1,}, /* b */}', '/f')).toEqual({ s: { og: 1 } })
  for (const text of ['', ' \n', '\ufeff', '\ufeff\n']) {
    expect(await readJson(text, '/f')).toEqual({})
  }
})

test('reports invalid JSON with line, column and a remedy', async () => {
  const hint = 'correct the file, then run the same command again'
  expect(await refusal('{\n  "a": 1\n  "b": 2\n}')).toBe(
    'Cannot edit /f:3:3: it is not valid JSON ' + `(comma expected); nothing was changed (${hint})`,
  )
  // The byte order mark is not counted as a column, because editors hide it.
  expect(await refusal('\ufeff{"a" 1}')).toStartWith('Cannot edit /f:1:6: it is not valid JSON')
  for (const text of ['[]', '1', 'null', '"a"']) {
    expect(await refusal(text)).toBe(
      `Cannot edit /f: it is not a JSON object; nothing was changed (${hint})`,
    )
  }
  expect(await refusal('['.repeat(100_000))).toContain('nested too deeply')
})

type Entries = Record<string, null | { a: number }>

async function check(text: string, entries: Entries, expected: string) {
  expect(await editJson(text, { section: 's', entries })).toBe(expected)
}

test('writes an entry with the indentation, line endings and byte order mark of the file', async () => {
  const og = { a: 1 }
  await check('', { og }, '{\n  "s": {\n    "og": {\n      "a": 1\n    }\n  }\n}\n')
  await check('{}', { og }, '{\n  "s": {\n    "og": {\n      "a": 1\n    }\n  }\n}')
  await check(
    '{\n    "b": 2\n}\n',
    { og },
    '{\n    "b": 2,\n    "s": {\n        "og": {\n            "a": 1\n        }\n    }\n}\n',
  )
  await check(
    '\ufeff{\r\n\t"b": 2\r\n}\r\n',
    { og },
    '\ufeff{\r\n\t"b": 2,\r\n\t"s": {\r\n\t\t"og": {\r\n\t\t\t"a": 1\r\n\t\t}\r\n\t}\r\n}\r\n',
  )
})

test('replaces or removes an entry in place and keeps all other bytes', async () => {
  const file = '{ "z":1, // z\n  "s": {"og": {"a": 0}, "old": {}, "b" : [ ] }\n}'
  await check(
    file,
    { og: { a: 1 } },
    '{ "z":1, // z\n  "s": {"og": {\n      "a": 1\n    }, "old": {}, "b" : [ ] }\n}',
  )
  await check(file, { old: null }, '{ "z":1, // z\n  "s": {"og": {"a": 0}, "b" : [ ] }\n}')
  await check(file, { none: null }, file)
  await check(file, {}, file)
})

test('removes a key without leaving a blank line, and keeps neighbouring comments', async () => {
  const file = (inner: string) => `{\n  "s": {\n${inner}  }\n}\n`
  await check(
    file('    "og": {}, // mine\n    // of z\n    "z": 1 // too\n'),
    { og: null },
    file('    // mine\n    // of z\n    "z": 1 // too\n'),
  )
  await check(
    file('    "a": 1, // of a\n    "og": {\n      "k": 1\n    }\n'),
    { og: null },
    file('    "a": 1 // of a\n'),
  )
  await check(
    file('    "a": 1,\n    "og": {},\n    // end\n'),
    { og: null },
    file('    "a": 1,\n    // end\n'),
  )
  await check(file('    "og": {}\n'), { og: null }, file(''))
  await check('{"s":{"a": 1 , "og": 2 }}', { og: null }, '{"s":{"a": 1 }}')
  await check('{"s":{"og": 2 /* x */ , "a": 1}}', { og: null }, '{"s":{/* x */  "a": 1}}')
  await check('{"s":{"og": "},//\\""}}', { og: null }, '{"s":{}}')
  await check('{"s":1}', { og: null }, '{"s":1}')
})

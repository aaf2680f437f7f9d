import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { userPaths } from '../../src/config/paths.ts'
import { deleteUserFile, readUserFile, writeSettings } from '../../src/config/user-file.ts'

async function check(before: string | null, key: string, expected: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'og-file-'))
  const path = join(folder, 'og/config.json')
  if (before !== null) await Bun.write(path, before)
  const file = await readUserFile(userPaths({ XDG_CONFIG_HOME: folder }))
  expect([file.path, file.exists]).toEqual([path, before !== null])
  await writeSettings(file, { [key]: 7 })
  expect(await Bun.file(path).text()).toBe(expected)
  const broken = Bun.file(`${path}.broken`)
  if (file.problem) expect(await broken.text()).toBe(before!)
  else expect(await broken.exists()).toBe(false)
  await deleteUserFile(file)
  expect(await Bun.file(path).exists()).toBe(false)
  rmSync(folder, { recursive: true })
}

test('writes one key and keeps all others', async () => {
  await check(null, 'query.top_k', '{\n  "query": {\n    "top_k": 7\n  }\n}\n')
  await check('', 'a', '{\n  "a": 7\n}\n')
  await check(
    '{"x":[1],"query":{"top_k":1,"ä":2}}',
    'query.top_k',
    '{\n  "x": [\n    1\n  ],\n  "query": {\n    "top_k": 7,\n    "ä": 2\n  }\n}\n',
  )
})

test('keeps a copy of an invalid file under another name', async () => {
  await check('{"x":', 'a', '{\n  "a": 7\n}\n')
})

test('does not replace a value where an object is expected', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-file-'))
  await Bun.write(join(folder, 'og/config.json'), '{"query":5}')
  const file = await readUserFile(userPaths({ XDG_CONFIG_HOME: folder }))
  await expect(writeSettings(file, { 'query.top_k': 7 })).rejects.toThrow(
    '"query" is not an object',
  )
  rmSync(folder, { recursive: true })
})

test('writes several keys at once, or none if one cannot be set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-file-'))
  await Bun.write(join(folder, 'og/config.json'), '{"query":5}')
  const file = await readUserFile(userPaths({ XDG_CONFIG_HOME: folder }))
  await expect(writeSettings(file, { 'a.b': 1, 'query.top_k': 7 })).rejects.toThrow('"query"')
  expect(await Bun.file(file.path).json()).toEqual({ query: 5 })
  await writeSettings(file, { 'a.b': 1, 'a.c': 2 })
  expect(await Bun.file(file.path).json()).toEqual({ query: 5, a: { b: 1, c: 2 } })
  rmSync(folder, { recursive: true })
})

test('keeps a key that another program writes in the meantime', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-file-'))
  const file = await readUserFile(userPaths({ XDG_CONFIG_HOME: folder }))
  const keys = Array.from({ length: 10 }, (_, i) => `key${i}`)
  await Promise.all(keys.map((key) => writeSettings(file, { [key]: 7 })))
  const content = await Bun.file(file.path).json()
  expect(Object.keys(content).sort()).toEqual(keys)
  rmSync(folder, { recursive: true })
})

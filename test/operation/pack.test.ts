import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addPack,
  checkPack,
  checkTrust,
  looksLikePack,
  resolvePackPath,
  writePack,
  writePacks,
} from '../../src/operation/pack.ts'
import type { OgError } from '../../src/platform/error.ts'
import { openMcpHome } from '../support/mcp.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
await home.add('kettle', '1', { 'a.md': '# A\n\nIt boils.\n' })
await home.add('kettle', '2', { 'a.md': '# A\n\nIt boils milk.\n', LICENSE: 'MIT License\n' })

const content = { vectors: null, license: null }

test('writes a pack that passes the check and can be added under another name', async () => {
  const input = { library: 'kettle@1', output: join(home.path, 'k.ogpack'), ...content }
  const written = await writePack.run({ og: home.og }, input)
  expect(written.notes).toEqual([{ kind: 'no-license' }])
  const json = writePack.json(written)
  expect(json).toMatchObject({ path: input.output, library: 'kettle', version: '1', pages: 1 })
  const checked = checkPack.json(await checkPack.run({}, { path: input.output }))
  expect(checked).toMatchObject({ library: 'kettle', pages: 1, chunks: 1, model: null })
  const adding = { og: home.og, config: { reach: null }, env: home.env }
  const given = { as: 'copy', sha256: null, min_health: null, lock_timeout: null }
  const added = await addPack.run(adding, { ...given, path: input.output })
  expect(addPack.json(added)).toMatchObject({ library: 'copy', version: '1', status: 'added' })
  const agent = { ...adding, config: { reach: { hosts: [], folder: null } } }
  await expect(addPack.run(agent, { ...given, path: input.output })).rejects.toThrow('for an agent')
  await home.og.remove({ library: 'copy', version: '1', lockTimeoutMs: 1000 })
})

test('writes all versions, and counts the versions that cannot be packed', async () => {
  const failures: OgError[] = []
  const folder = join(home.path, 'all')
  const context = { og: home.og, onFailure: (error: OgError) => void failures.push(error) }
  const { value } = await writePacks.run(context, { library: null, folder, ...content })
  expect(value.packs.map(({ version }) => version)).toEqual(['1', '2'])
  expect(value.packs.every(({ path }) => existsSync(path))).toBe(true)
  expect([value.failed, failures]).toEqual([0, []])
  const none = { library: 'none', folder, ...content }
  await expect(writePacks.run(context, none)).rejects.toThrow('"none"')
})

test('rejects unknown kinds of vectors and unreadable license files', async () => {
  const input = { library: 'kettle@1', output: null, ...content }
  const write = (changed: object) => writePack.run({ og: home.og }, { ...input, ...changed })
  await expect(write({ vectors: 'f8' })).rejects.toThrow('must be one of f32, f16, int8, none')
  await expect(write({ license: '/none' })).rejects.toThrow('Cannot read licence "/none"')
})

test('finds a pack by its path, file URL or web address', () => {
  const path = join(home.path, 'x.ogpack')
  writeFileSync(path, '')
  expect(resolvePackPath('~/x.ogpack', home.env)).toBe(path)
  expect(resolvePackPath(`file://${path}`, home.env)).toBe(path)
  expect(resolvePackPath('https://x.example/a.ogpack', home.env)).toStartWith('https:')
  expect(() => resolvePackPath('y.ogpack', home.env)).toThrow('"y.ogpack": no such file')
})

test('a user at a terminal has to trust a pack', async () => {
  const dialog = (answer: boolean | null) => ({
    canAsk: answer !== null,
    ask: async () => answer === true,
    askText: async () => '',
    note() {},
  })
  await checkTrust(dialog(true), '"x"')
  await expect(checkTrust(dialog(false), '"x"')).rejects.toThrow('nothing was changed')
  await expect(checkTrust(dialog(null), '"x"')).rejects.toThrow('Cannot trust "x"')
})

test('recognizes a pack by its name', () => {
  const names = ['a.ogpack', './A.OGPACK', 'https://example.org/a-1.ogpack']
  expect(names.filter(looksLikePack)).toEqual(names)
  expect(['ogpack', 'a.ogpack.zip', 'a.ogpack/'].filter(looksLikePack)).toEqual([])
})

import { strToU8, zipSync } from 'fflate'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { apiArchiveEvents } from '../../../src/source/pages.ts'

test('does not read an archive whose pages are known', async () => {
  const before = new Map([
    ['file:///lamp.zip/lamp.py#L1', 'api:1'],
    ['file:///guide', 'etag'],
  ])
  const source = { kind: 'web_page' as const, url: 'file:///guide', apiArchive: '/missing.zip' }
  expect(await Array.fromAsync(apiArchiveEvents(source, { before }))).toEqual([
    { type: 'unchanged', url: 'file:///lamp.zip/lamp.py#L1' },
  ])
})

test('reports an archive that cannot be read as one failure', async () => {
  using temp = { path: join(tmpdir(), 'og-bad.zip'), [Symbol.dispose]: () => rmSync(temp.path) }
  writeFileSync(temp.path, 'PK no archive')
  const source = { kind: 'web_page' as const, url: 'file:///guide', apiArchive: temp.path }
  const events = await Array.fromAsync(apiArchiveEvents(source, {}))
  expect(events).toEqual([
    { type: 'failed', url: temp.path, reason: expect.any(String), isFolder: true },
  ])
})

test('reads the crates whose items a crate re-exports', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'og-crates-'))
  using _temp = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) }
  const manifest =
    '[package]\nname = "lamp"\nversion = "1.0.0"\n[dependencies]\nlamp_core = "1.0.2"\n'
  const crates = {
    'lamp-1.0.0': { 'Cargo.toml': manifest, 'src/lib.rs': 'pub use lamp_core::*;' },
    'lamp_core-1.0.5': {
      'Cargo.toml': '[package]\nname = "lamp_core"\nversion = "1.0.5"\n',
      'src/lib.rs': '/// Burns.\npub fn burn() {}',
    },
  }
  for (const [name, files] of Object.entries(crates)) {
    const entries = Object.entries(files).map(([path, text]) => ({ path: `${name}/${path}`, text }))
    const zip = zipSync(Object.fromEntries(entries.map(({ path, text }) => [path, strToU8(text)])))
    writeFileSync(join(folder, `${name}.zip`), zip)
  }
  const apiArchive = join(folder, 'lamp-1.0.0.zip')
  const source = {
    kind: 'web_page' as const,
    url: 'file:///guide',
    apiArchive,
    package: 'crates:lamp',
  }
  const events = await Array.fromAsync(apiArchiveEvents(source, {}))
  const pages = events.flatMap((event) => (event.type === 'page' ? [event.page] : []))
  expect(pages.map(({ title }) => title)).toEqual(['lamp'])
  expect(pages[0]!.text).toContain('## `lamp::burn`')
})

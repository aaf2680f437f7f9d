import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderTree } from '../../../src/source/api/api-events.ts'
import { withRelatives } from '../../../src/source/package/crate-relatives.ts'
import type { Source } from '../../../src/store/source.ts'
import { writeFiles } from '../../support/repository.ts'
import { openSite } from '../../support/servers/site.ts'

const manifest = (name: string, version: string, more = '') =>
  `[package]\nname = "${name}"\nversion = "${version}"\n${more}`
const lamp = manifest('lamp', '1.0.0', '[dependencies]\nlamp_core = "0.5.2"\n')

/** The paths that a crate named `lamp` gets from the crates in the folders around it. */
async function pathsOf(folders: Record<string, string>, own: string): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'og-relatives-'))
  using _temp = { [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
  for (const [folder, text] of Object.entries({ [own]: lamp, ...folders })) {
    mkdirSync(join(root, folder, 'src'), { recursive: true })
    writeFiles(join(root, folder), { 'Cargo.toml': text, 'src/lib.rs': 'pub fn burn() {}' })
  }
  const path = join(root, own)
  const tree = folderTree(['Cargo.toml'], { real: path, addressOf: (it) => it })
  const found = await withRelatives(tree, { kind: 'local_path', path }, {})
  return found.paths.filter((it) => it.endsWith('.rs'))
}

test('reads the newest compatible version in the cache of cargo', async () => {
  const versions = ['0.5.1', '0.5.2', '0.5.6', '0.6.0']
  const cores = versions.map((it) => [`lamp_core-${it}`, manifest('lamp_core', it)])
  const folders = { ...Object.fromEntries(cores), 'lamp_core-x-0.5.9': manifest('x', '0.5.9') }
  expect(await pathsOf(folders, 'lamp-1.0.0')).toEqual(['lamp_core-0.5.6/src/lib.rs'])
})

test('reads the version in vendor, whose name does not contain it', async () => {
  const folders = { lamp_core: manifest('lamp_core', '0.5.3') }
  expect(await pathsOf(folders, 'lamp')).toEqual(['lamp_core-0.5.3/src/lib.rs'])
})

test('skips crates in a registry that cannot be read, with the reason', async () => {
  using server = openSite({ '/none': 'not an archive' })
  const tree = { paths: ['Cargo.toml'], addressOf: (it: string) => it, read: async () => null }
  const source: Source = { kind: 'archive', url: server.url, docsPaths: [] }
  expect(await withRelatives(tree, source, {})).toBe(tree)
  const relatives = [`${server.url}/none`, `${server.url}/missing`]
  const { paths, unread } = await withRelatives(tree, { ...source, relatives }, {})
  expect(paths).toEqual(['Cargo.toml'])
  expect(unread!.map(({ path }) => path)).toEqual(relatives)
  expect(unread![1]!.reason).toContain('404')
  expect(server.requests).toHaveLength(2)
})

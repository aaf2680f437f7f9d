import {
  indexText,
  parseIndex,
  type RegistryIndex,
  type RegistryPack,
} from '../../../src/library/registry/index-format.ts'

const hash = 'a'.repeat(64)
const pack: RegistryPack = {
  library: 'lamp',
  version: '1.0',
  title: 'Lamp',
  license: null,
  path: 'lamp-1.0.ogpack',
  size: 1,
  sha256: hash,
  manifest: hash,
  indexedAt: '2026-01-01T00:00:00Z',
  pages: 1,
  chunks: 1,
  model: null,
  yanked: false,
}
const time = '2026-01-01T00:00:00.000Z'
/** Makes an index of these packs and parses it. */
export function indexOf(packs: Partial<RegistryPack>[], more: object = {}): RegistryIndex {
  const all = packs.map((it) => ({ ...pack, ...it }))
  const text = indexText({ serial: 1, time, expires: time, packs: all, ...more })
  return parseIndex(Buffer.from(text), '"x"')
}

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import {
  manifestName,
  manifestText,
  memberName,
  type PackManifest,
  type PackMember,
} from '../../../src/library/pack/pack-format.ts'
import { openPacks, type Packs } from '../../../src/library/pack/packs.ts'
import { openPackFile } from '../../../src/library/pack/read-pack.ts'
import { tarEnd, tarHeader, tarPadding } from '../../../src/library/pack/tar.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { writeFiles } from '../repository.ts'
import { openTestStore, type TestStore } from '../test-store.ts'

/** Fourteen pages, each with a distinct word. */
export const lampPages: Record<string, string> = Object.fromEntries([
  ['index.md', '# Lamp\n\nHow to make light.\n'],
  ...Array.from({ length: 13 }, (_, i) => [
    `p${i}.md`,
    `# Page ${i}\n\nThis page tells of wick${i} and oil.\n\n## More\n\nDetails on flame${i}.\n`,
  ]),
])

export type PackWorld = Disposable & { store: TestStore; packs: Packs; folder: string }

/** Opens a separate store in which packs are made and added. */
export function openPackWorld(
  folder: string,
  options: Parameters<typeof openTestStore>[1] = {},
): PackWorld {
  const store = openTestStore(folder, options)
  const { opened, entries } = store
  return {
    store,
    folder,
    packs: openPacks(async () => ({ context: opened, entries })),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  }
}

/**
 * Packs a library of these pages.
 * @returns the path of the pack
 */
export async function writeLampPack(
  folder: string,
  { pages = lampPages, vectors = 'f32' as PackManifest['vectors'] } = {},
): Promise<string> {
  const docs = join(folder, 'docs')
  writeFiles(docs, pages)
  using world = openPackWorld(join(folder, 'made'))
  await world.store.add('lamp', docs)
  const to = join(folder, 'lamp.ogpack')
  await world.packs.write({ library: 'lamp', version: null, to, vectors, license: null })
  return to
}

/** The manifest and contents of a pack. */
export type PackParts = { manifest: PackManifest; contents: Buffer[] }

export function packParts(path: string): PackParts {
  using pack = openPackFile(path)
  const { manifest } = pack
  return { manifest, contents: manifest.members.map((it) => Buffer.from(pack.content(it))) }
}

/** Writes a pack with consistent hashes and sizes, whatever its contents. */
export function writeParts(path: string, { manifest, contents }: PackParts): string {
  const packed = contents.map((content) => zstdCompressSync(content))
  const members: PackMember[] = manifest.members.map((member, i) => ({
    ...member,
    sha256: sha256(contents[i]!),
    size: contents[i]!.length,
    packed: packed[i]!.length,
  }))
  const head = Buffer.from(manifestText({ ...manifest, members }))
  writeFileSync(
    path,
    Buffer.concat([
      tarHeader(manifestName, head.length),
      head,
      tarPadding(head.length),
      ...members.flatMap((member, i) => [
        tarHeader(memberName(member), member.packed),
        packed[i]!,
        tarPadding(member.packed),
      ]),
      tarEnd,
    ]),
  )
  return path
}

/** Writes a pack again with another manifest and the same contents. */
export function writeManifestOf(
  path: string,
  to: string,
  change: (manifest: PackManifest) => unknown,
): string {
  const bytes = readFileSync(path)
  const size = parseInt(bytes.toString('latin1', 124, 135), 8)
  const rest = bytes.subarray(512 + Math.ceil(size / 512) * 512)
  const manifest = JSON.parse(bytes.toString('utf8', 512, 512 + size))
  const changed = change(manifest)
  const head = Buffer.from(typeof changed === 'string' ? changed : JSON.stringify(changed))
  writeFileSync(
    to,
    Buffer.concat([tarHeader(manifestName, head.length), head, tarPadding(head.length), rest]),
  )
  return to
}

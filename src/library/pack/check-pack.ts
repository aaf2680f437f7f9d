import { openContentHash, pageHash } from '../add/pages.ts'
import { chunkKey } from '../add/copy.ts'
import { packError, type PackManifest } from './pack-format.ts'
import {
  openPackFile,
  readPackEmbeddings,
  readPackLicense,
  readPackPages,
  toChunkRows,
  type Pack,
} from './read-pack.ts'

export type CheckedPack = { manifest: PackManifest; sha256: string; license: string | null }

/**
 * Reads a whole pack and checks it like an installation, without installing it.
 * @throws OgError that names the first fault
 */
export function checkPackFile(path: string): CheckedPack {
  using pack = openPackFile(path)
  const { manifest, sha256 } = pack
  const chunks = checkPages(pack)
  if (chunks !== manifest.chunks) {
    throw packError(pack.what, `it has ${chunks} chunks, unlike its manifest`)
  }
  return { manifest, sha256, license: readPackLicense(pack) }
}

function checkPages(pack: Pack): number {
  const contentHash = openContentHash()
  const embeddings = pack.manifest.vectors === 'none' ? null : readPackEmbeddings(pack)
  let chunks = 0
  for (const packed of readPackPages(pack)) {
    contentHash.add(packed.page.url, pageHash(packed.page))
    for (const row of toChunkRows(pack, packed)) {
      const next = embeddings?.next()
      if (next && (next.done || next.value.key !== chunkKey(row).slice(0, 16))) {
        throw packError(pack.what, 'an embedding does not belong to the text of its chunk')
      }
      chunks++
    }
  }
  if (contentHash.digest() !== pack.manifest.contentHash) {
    throw packError(pack.what, 'its pages differ from its manifest')
  }
  return chunks
}

import { join } from 'node:path'
import { createTempFolder } from '../../platform/file/files.ts'
import type { Entry } from '../../store/registry.ts'
import type { OpenEntries } from '../entries.ts'
import type { PackManifest, PackMember } from './pack-format.ts'
import { openPackFile } from './read-pack.ts'
import { writePack } from './write-pack.ts'

type ReusableMembers = AsyncDisposable & ((member: PackMember) => Buffer | null)

/**
 * Returns the members of a pack that can be made from the live generation: packs it into a
 * temporary file in the same way as the other pack. Returns none if the embeddings differ.
 */
export async function reusableMembers(
  entries: OpenEntries,
  entry: Entry | null,
  { fingerprint, vectors }: PackManifest,
): Promise<ReusableMembers> {
  const isAlike =
    entry !== null &&
    entry.live.embedded === undefined &&
    (vectors === 'none' || Bun.deepEquals(entry.live.fingerprint, fingerprint))
  if (!isAlike) return Object.assign(() => null, { async [Symbol.asyncDispose]() {} })
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTempFolder('og-known'))
  const path = join(folder.path, 'known.ogpack')
  {
    using openVersions = await entries((all) => all.filter(({ live }) => live.id === entry.live.id))
    await writePack(openVersions[0]!, path, { vectors, license: null, isHasty: true })
  }
  const pack = stack.use(openPackFile(path))
  const bySha256 = new Map(pack.manifest.members.map((member) => [member.sha256, member]))
  const kept = stack.move()
  const content = ({ sha256 }: PackMember) => {
    const member = bySha256.get(sha256)
    return member === undefined ? null : pack.content(member)
  }
  return Object.assign(content, { [Symbol.asyncDispose]: () => kept.disposeAsync() })
}

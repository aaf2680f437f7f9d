import { randomBytes } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack as tarPack, type Pack as TarPack } from 'tar-stream'
import { messageOf, OgError } from '../../platform/error.ts'
import { syncFolder } from '../../platform/file/files.ts'
import { explainDiskError } from '../../platform/file/space.ts'
import { sha256, sha256OfFile } from '../../platform/hash.ts'
import installer from '../../../data/install-bundle.txt' with { type: 'text' }

type BundleParts = {
  executable: string
  packs: readonly string[]
  /** Text of config.json; null if the bundle has none. */
  config: string | null
  signal?: AbortSignal | undefined
}

/**
 * Writes a tar.gz that installs og and documentation on a machine without network access: the
 * executable, packs, settings and an installation script. The file appears complete or not at all.
 * @returns its size in bytes
 * @throws OgError if it cannot be written
 */
export async function writeBundle(path: string, parts: BundleParts): Promise<number> {
  const temporary = join(dirname(path), `.og-bundle-${randomBytes(6).toString('hex')}`)
  const archive = tarPack()
  let why: unknown
  try {
    // Creates the file before any content is produced, so that no late write can create it again
    // after an error.
    await using file = await open(temporary, 'wx')
    const filled = fill(archive, parts).catch((error) => {
      why = error
      archive.destroy(error)
    })
    const write = async (pieces: AsyncIterable<Uint8Array>) => {
      for await (const piece of pieces) await file.writeFile(piece)
    }
    await pipeline(archive, createGzip({ level: 4 }), write, { signal: parts.signal })
    await filled
    await file.sync()
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return statSync(path).size
  } catch (ended) {
    const error = why ?? ended
    await rm(temporary, { force: true }).catch(() => {})
    parts.signal?.throwIfAborted()
    if (error instanceof OgError) throw error
    const refused = explainDiskError(error, '--output')
    throw new OgError(`Cannot write bundle "${path}": ${refused?.why ?? messageOf(error)}`, {
      hint: refused?.hint,
      cause: error,
    })
  }
}

/**
 * Puts everything into one folder. SHA256SUMS lists the files, so that a damaged copy is detected.
 */
async function fill(archive: TarPack, { executable, packs, config }: BundleParts): Promise<void> {
  const sums: string[] = []
  const text = (name: string, content: string, mode = 0o644) => {
    sums.push(`${sha256(content)}  ${name}`)
    archive.entry({ name: `${folder}/${name}`, mode }, content)
  }
  const file = async (name: string, path: string, mode = 0o644) => {
    sums.push(`${await sha256OfFile(path)}  ${name}`)
    const { size } = statSync(path)
    await pipeline(createReadStream(path), archive.entry({ name: `${folder}/${name}`, mode, size }))
  }
  text('install.sh', installer, 0o755)
  if (config !== null) text('config.json', config)
  await file('og', executable, 0o755)
  for (const path of packs) await file(`packs/${basename(path)}`, path)
  archive.entry({ name: `${folder}/SHA256SUMS`, mode: 0o644 }, `${sums.join('\n')}\n`)
  archive.finalize()
}

const folder = 'og-bundle'

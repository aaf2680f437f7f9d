import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../error.ts'
import type { Embedded, EmbeddedFile } from './embedded.ts'

const stampName = 'unpacked.json'

/**
 * Makes the embedded files exist on disk under `root/<hash>` and returns that folder. All files
 * appear together by one rename; two first starts at once both succeed. A folder in which a file
 * was changed, cut or lost since it was written is replaced; `verify` hashes every byte.
 */
export async function unpack(
  embedded: Embedded,
  root: string,
  options: { verify?: boolean } = {},
): Promise<string> {
  const folder = join(root, embedded.hash)
  if (await isWhole(embedded, folder, options)) return folder
  const fresh = join(root, `.new-${process.pid}-${randomBytes(4).toString('hex')}`)
  try {
    await mkdir(fresh, { recursive: true, mode: 0o700 })
    for (const file of embedded.files) await unpackFile(file, join(fresh, file.name))
    await writeFile(join(fresh, stampName), JSON.stringify(await stamps(embedded, fresh)))
    await swapIn(fresh, folder, () => isWhole(embedded, folder, options))
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return folder
}

/** Names of files whose bytes are not those of the executable. */
export async function damagedFiles(embedded: Embedded, folder: string): Promise<string[]> {
  const damaged: string[] = []
  for (const file of embedded.files) {
    const bytes = await readFile(join(folder, file.name)).catch(() => null)
    if (bytes === null || sha256(bytes) !== file.sha256) damaged.push(file.name)
  }
  return damaged
}

async function isWhole(
  embedded: Embedded,
  folder: string,
  options: { verify?: boolean },
): Promise<boolean> {
  const stamp = await readFile(join(folder, stampName), 'utf8').catch(() => null)
  if (stamp === null) return false
  if (stamp !== JSON.stringify(await stamps(embedded, folder))) return false
  return options.verify !== true || (await damagedFiles(embedded, folder)).length === 0
}

/** Size and modification time of each file: cheap to compare, and any later write changes them. */
async function stamps(embedded: Embedded, folder: string): Promise<unknown[]> {
  return Promise.all(
    embedded.files.map(async (file) => {
      const found = await stat(join(folder, file.name)).catch(() => null)
      return [file.name, found?.size ?? -1, found?.mtimeMs ?? -1]
    }),
  )
}

/** A piece at a time: whole, LanceDB's addon alone would take 230 MB. */
async function unpackFile(file: EmbeddedFile, path: string): Promise<void> {
  const stored = Bun.file(file.path).stream()
  const bytes = file.compressed ? stored.pipeThrough(new DecompressionStream('zstd')) : stored
  const hash = createHash('sha256')
  await using out = await open(path, 'wx', 0o500)
  for await (const piece of bytes) {
    hash.update(piece)
    await out.writeFile(piece)
  }
  if (hash.digest('hex') !== file.sha256) {
    throw new OgError(`Cannot unpack ${file.name}: the executable is damaged`, {
      hint: 'download it again',
    })
  }
  await out.sync()
}

async function swapIn(
  fresh: string,
  folder: string,
  someoneElseDid: () => Promise<boolean>,
): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return await rename(fresh, folder)
    } catch (error) {
      if (await someoneElseDid()) return
      if (attempt === 4) throw error
      // A damaged folder stands in the way: move it aside, so that readers of it keep their files.
      const aside = join(folder, '..', `.old-${process.pid}-${randomBytes(4).toString('hex')}`)
      await rename(folder, aside).catch(() => {})
      await rm(aside, { recursive: true, force: true })
    }
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

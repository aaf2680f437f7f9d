import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import { zipSync, type Zippable } from 'fflate'
import { pack, type Pack } from 'tar-stream'

/** A file for an archive: its name in the archive, and its path on disk. */
export type Entry = { name: string; path: string; isExecutable: boolean }

/**
 * `seconds` is the time of all files, counted from 1970; `folder` precedes their names unless it is
 * ''.
 */
export type Layout = { folder: string; seconds: number }

/**
 * Writes the entries in `folder` to an archive. The extension selects the format: `.tar.gz`,
 * `.tar.zst`, `.tar.xz` (with the program xz), `.zip` or `.mcpb`. Sorted names and fixed owners and
 * times make the bytes reproducible.
 */
export async function writeArchive(
  path: string,
  entries: readonly Entry[],
  { folder, seconds }: Layout,
): Promise<void> {
  const sorted = entries
    .map((entry) => ({ ...entry, name: folder === '' ? entry.name : `${folder}/${entry.name}` }))
    .sort(byName)
  if (/\.(?:zip|mcpb)$/.test(path)) return writeFile(path, await zipped(sorted))
  await writeTar(path, tarOf(sorted, seconds))
}

/** Writes a tar with an entry for each folder, because dpkg does not create missing folders. */
export async function writeTree(
  path: string,
  entries: readonly Entry[],
  { folder, seconds }: Layout,
): Promise<void> {
  const files = entries.map((entry) => ({ ...entry, name: `${folder}/${entry.name}` }))
  const folders = [...new Set(files.flatMap(({ name }) => foldersOf(name)))].map((name) => ({
    name,
    path: null,
  }))
  await writeTar(path, tarOf([...files, ...folders].sort(byName), seconds))
}

/** `a/b/c` is in `a/` and `a/b/`. */
function foldersOf(name: string): string[] {
  return [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index + 1))
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

async function writeTar(path: string, tar: Pack): Promise<void> {
  if (path.endsWith('.tar.gz')) {
    await pipeline(tar, createGzip({ level: 9 }), createWriteStream(path))
  } else if (path.endsWith('.tar.zst')) {
    await pipeline(tar, createZstdCompress({ params: zstd }), createWriteStream(path))
  } else await throughXz(tar, path)
}

/** A longer window saves only 0.2 %. */
const zstd = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 }

type Folder = { name: string; path: null }

function tarOf(entries: readonly (Entry | Folder)[], seconds: number): Pack {
  const tar = pack()
  const shared = { mtime: new Date(seconds * 1000), uid: 0, gid: 0 }
  const fill = async () => {
    for (const entry of entries) {
      const { name } = entry
      if (entry.path === null) {
        tar.entry({ name, type: 'directory', mode: 0o755, ...shared })
        continue
      }
      const content = await readFile(entry.path)
      const mode = entry.isExecutable ? 0o755 : 0o644
      const file = tar.entry({ name, size: content.length, mode, ...shared })
      file.end(content)
      await once(file, 'finish')
    }
    tar.finalize()
  }
  fill().catch((error) => tar.destroy(error))
  return tar
}

/**
 * The branch filter makes the runtime 4 MB smaller. Always two threads, because a single thread
 * would not split the data into blocks.
 */
async function throughXz(tar: Pack, path: string): Promise<void> {
  const child = spawn('xz', ['--x86', '--lzma2=preset=6', '-T2', '--block-size=64MiB', '-c'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  await Promise.all([pipeline(tar, child.stdin), pipeline(child.stdout, createWriteStream(path))])
  const [code] = await ended
  if (code !== 0) throw new Error(`xz ended with code ${code}`)
}

/**
 * Every file gets the earliest time that the format can represent, because it stores local times
 * without a zone.
 */
async function zipped(entries: readonly Entry[]): Promise<Uint8Array> {
  const files: Zippable = {}
  for (const { name, path, isExecutable } of entries) {
    const attrs = ((isExecutable ? 0o100755 : 0o100644) << 16) >>> 0
    files[name] = [await readFile(path), { mtime: new Date(1980, 0, 1), level: 9, os: 3, attrs }]
  }
  return zipSync(files)
}

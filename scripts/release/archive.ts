import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { zipSync } from 'fflate'
import { pack, type Pack } from 'tar-stream'

/** A file of an archive: its place in there, and where its bytes lie. */
export type Entry = { name: string; path: string; isExecutable: boolean }

/**
 * Writes the entries below `folder` into an archive whose format its name tells: `.tar.gz`,
 * `.tar.xz` (by the program xz) or `.zip`. The same bytes wherever and whenever it is made: names
 * are sorted, owners and times set. `seconds`: the time of all files, since 1970.
 */
export async function writeArchive(
  path: string,
  entries: readonly Entry[],
  { folder, seconds }: { folder: string; seconds: number },
): Promise<void> {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => ({ ...entry, name: `${folder}/${entry.name}` }))
  if (path.endsWith('.zip')) return writeFile(path, await zipped(sorted))
  const tar = tarOf(sorted, seconds)
  if (path.endsWith('.tar.gz')) {
    await pipeline(tar, createGzip({ level: 9 }), createWriteStream(path))
  } else await throughXz(tar, path)
}

function tarOf(entries: readonly Entry[], seconds: number): Pack {
  const tar = pack()
  const fill = async () => {
    for (const { name, path, isExecutable } of entries) {
      const content = await readFile(path)
      const mode = isExecutable ? 0o755 : 0o644
      const mtime = new Date(seconds * 1000)
      const entry = tar.entry({ name, size: content.length, mode, mtime, uid: 0, gid: 0 })
      entry.end(content)
      await once(entry, 'finish')
    }
    tar.finalize()
  }
  fill().catch((error) => tar.destroy(error))
  return tar
}

/** The branch filter gains 4 MB on the runtime. Two threads wherever it runs, since one of them
 * would cut no blocks. */
async function throughXz(tar: Pack, path: string): Promise<void> {
  const child = spawn('xz', ['--x86', '--lzma2=preset=6', '-T2', '--block-size=64MiB', '-c'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  await Promise.all([pipeline(tar, child.stdin), pipeline(child.stdout, createWriteStream(path))])
  const [code] = await ended
  if (code !== 0) throw new Error(`xz ended with code ${code}`)
}

/** The format keeps a local time without its zone: the first that it knows. */
async function zipped(entries: readonly Entry[]): Promise<Uint8Array> {
  const files: Record<string, [Uint8Array, { mtime: Date; level: 9 }]> = {}
  for (const { name, path } of entries) {
    files[name] = [await readFile(path), { mtime: new Date(1980, 0, 1), level: 9 }]
  }
  return zipSync(files)
}

import { expect, test } from 'bun:test'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeArchive } from '../../../scripts/release/archive.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256OfFile } from '../../../src/platform/hash.ts'
import { testWhere } from '../../support/where.ts'

/**
 * Makes an archive of the same files twice, at different times and in another order, and checks its
 * file list.
 */
async function check(kind: string, list: string[], expected: RegExp[]) {
  await using temp = await createTempFolder('archive')
  const sums = []
  for (const turn of [1, 2]) {
    const folder = join(temp.path, `${turn}`)
    mkdirSync(folder)
    const names = turn === 1 ? ['og', 'README.md'] : ['README.md', 'og']
    const entries = names.map((name) => {
      const path = join(folder, name)
      writeFileSync(path, `the content of ${name}\n`.repeat(1000))
      utimesSync(path, turn * 1e8, turn * 1e8)
      return { name, path, isExecutable: name === 'og' }
    })
    const path = join(folder, `a.${kind}`)
    await writeArchive(path, entries, { folder: 'og-1', seconds: 1_700_000_000 })
    sums.push(await sha256OfFile(path))
  }
  expect(sums[0]).toBe(sums[1]!)
  const [command = '', ...args] = list
  const ran = Bun.spawnSync([command, ...args, join(temp.path, '2', `a.${kind}`)], {
    env: { ...process.env, TZ: 'UTC' },
  })
  for (const part of expected) expect(ran.stdout.toString()).toMatch(part)
}

const inTar = [
  /^-rw-r--r-- 0\/0 +25000 2023-11-14 22:13 og-1\/README.md$/m,
  /^-rwxr-xr-x 0\/0 +18000 2023-11-14 22:13 og-1\/og$/m,
]
const lackOf = (tool: string) => (Bun.which(tool) === null ? `${tool} is not here` : null)

testWhere(lackOf('tar'))('a tar.gz has the same bytes whenever it is made', () =>
  check('tar.gz', ['tar', '--numeric-owner', '-tvzf'], inTar),
)

testWhere(lackOf('xz'))('a tar.xz has the same bytes whenever it is made', () =>
  check('tar.xz', ['tar', '--numeric-owner', '-tvJf'], inTar),
)

testWhere(lackOf('zstd'))('a tar.zst has the same bytes whenever it is made', () =>
  check('tar.zst', ['tar', '--numeric-owner', '--zstd', '-tvf'], inTar),
)

test('a zip has the same bytes whenever it is made', () =>
  check('zip', ['python3', '-m', 'zipfile', '-l'], Bun.which('python3') ? [/og-1\/og/] : []))

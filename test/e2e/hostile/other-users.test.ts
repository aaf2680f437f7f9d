import { expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { testWhere } from '../../support/where.ts'

/** Checks the message of a query about its native libraries, and whether the query continued. */
async function check(world: World, cache: string, stderr: string | RegExp): Promise<void> {
  const ran = await world.og(['query', 'tea'], { env: { OG_CACHE_DIR: cache } })
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
  const said = ran.stderr.replaceAll(world.folder, 'DIR')
  expect(said).toEndWith(nothingIndexed)
  const before = said.slice(0, -nothingIndexed.length)
  if (typeof stderr === 'string') expect(before).toBe(stderr)
  else expect(before).toMatch(stderr)
}

const nothingIndexed =
  'error: Nothing is indexed\nhint: og add LIBRARY --source SOURCE indexes one\n'

const me = process.getuid!()
const refusal = (cache: string, why: string) =>
  `warning: cannot use DIR/${cache}/natives: ${why}; using DIR/tmp/og-${me}/natives ` +
  '(let nobody else write there, or set OG_CACHE_DIR to a folder of your own)\n'

/** Returns the folder of unpacked files in a cache. */
const setOf = (cache: string) => {
  const [name] = readdirSync(join(cache, 'natives')).filter((it) => !it.startsWith('.'))
  return join(cache, 'natives', name!)
}

test('does not use a cache that other users can change, even through a link', async () => {
  await using world = await createWorld()
  const at = (...names: string[]) => join(world.folder, ...names)
  await check(world, at('good'), '')
  cpSync(at('good'), at('open', 'cache'), { recursive: true, preserveTimestamps: true })
  for (const folder of [at('open'), at('open', 'cache')]) chmodSync(folder, 0o777)
  await check(world, at('open', 'cache'), refusal('open/cache', 'others may write to DIR/open'))
  // The private folder has its own files; og does not even open the other cache.
  const kernels = join(setOf(at('tmp', `og-${me}`)), 'kernels.so')
  expect(statSync(kernels).mode & 0o777).toBe(0o500)

  chmodSync(at('open'), 0o755)
  const own = refusal('open/cache', 'others may write to DIR/open/cache')
  await check(world, at('open', 'cache'), own)
  symlinkSync(at('open', 'cache'), at('link'))
  await check(world, at('link'), own.replace('use DIR/open/cache', 'use DIR/link'))
  chmodSync(at('open', 'cache'), 0o755)
  await check(world, at('link'), '')
  chmodSync(setOf(at('open', 'cache')), 0o775)
  const set = setOf(at('open', 'cache')).replace(world.folder, 'DIR')
  await check(world, at('link'), refusal('link', `others may write to ${set}`))
})

const lackOfRoot = me === 0 ? null : 'only root can give a folder to another user'

testWhere(lackOfRoot)('does not use a cache of another user', async () => {
  await using world = await createWorld()
  const at = (...names: string[]) => join(world.folder, ...names)
  mkdirSync(at('his'))
  chownSync(at('his'), 65534, 65534)
  await check(world, at('his'), refusal('his', 'DIR/his belongs to user 65534'))
  await check(world, at('his', 'in'), refusal('his/in', 'DIR/his belongs to user 65534'))
  expect(readdirSync(at('his'))).toEqual([])
  rmSync(at('tmp', 'og-0'), { recursive: true })
  mkdirSync(at('tmp', 'og-0'))
  chownSync(at('tmp', 'og-0'), 65534, 65534)
  await world.check(
    ['query', 'tea'],
    {
      exitCode: 2,
      stderr: /^error: Cannot use DIR\/tmp\/og-0: .* belongs to user 65534\nhint: .*\n$/,
    },
    { env: { OG_CACHE_DIR: at('his') } },
  )
})

test('never loads a native library whose bytes changed but whose size and times did not', async () => {
  await using world = await createWorld()
  const cache = join(world.folder, 'cache')
  await check(world, cache, '')
  const path = join(setOf(cache), 'kernels.so')
  const { size, atime, mtime } = lstatSync(path)
  chmodSync(path, 0o700)
  writeFileSync(path, Buffer.alloc(size, 'not a library '))
  chmodSync(path, 0o500)
  utimesSync(path, atime, mtime)
  await check(
    world,
    cache,
    /^warning: unpacked again, because the bundled content .*: kernels\.so in DIR\/cache\/.*\n$/,
  )
  await check(world, cache, '')
  expect(existsSync(join(cache, 'verified'))).toBe(true)
})

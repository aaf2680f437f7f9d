/** Several machines build one list into one bucket with `og ci build --store`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rowsOf } from '../../../scripts/faults/bucket-state.ts'
import { isInShard } from '../../../src/library/ci/build-list.ts'
import type { Running, World } from '../../support/e2e.ts'
import { createBucketMachine } from '../../support/servers/bucket-machines.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'
import { until } from '../../support/until.ts'

let server: BucketServer
let worlds: World[]
beforeAll(async () => {
  server = serveBucket()
  worlds = await Promise.all([0, 1, 2].map(() => createBucketMachine(server)))
})
afterAll(async () => {
  server[Symbol.dispose]()
  for (const world of worlds) await world[Symbol.asyncDispose]()
})

const names = ['a', 'b', 'c', 'd', 'e', 'f']
const share = (index: number) => names.filter((it) => isInShard(`${it}@1`, { index, count: 3 }))

/** Writes the list and its sources to the first world, for all machines. */
function list(said: string): string {
  const cwd = join(worlds[0]!.folder, 'cwd')
  for (const name of names) {
    mkdirSync(join(cwd, name), { recursive: true })
    writeFileSync(join(cwd, name, 'index.md'), `# ${name}\n\nThe ${name} ${said}.\n`)
  }
  const libraries = names.map((it) => `  ${it}: { source: ${it}, versions: [1] }`)
  writeFileSync(join(cwd, 'packs.yaml'), ['libraries:', ...libraries].join('\n'))
  return join(cwd, 'packs.yaml')
}

test('three jobs fill one bucket, and the next run of a killed job finishes its share', async () => {
  const file = list('is new')
  const start = (i: number): Running =>
    worlds[i]!.start([
      'ci',
      'build',
      '--store',
      '-f',
      file,
      '--shard',
      `${i + 1}/3`,
      '--jobs',
      '1',
      '--json',
    ])
  // Kills the job with the most work at the end of its first upload.
  const dying = [0, 1, 2].sort((i, j) => share(j + 1).length - share(i + 1).length)[0]!
  const runs = [0, 1, 2].filter((i) => i !== dying).map(start)
  const killed = start(dying)
  const mine = () =>
    [...server.objects]
      .filter(([key]) => key.endsWith('entry.json'))
      .map(([, { body }]) => JSON.parse(new TextDecoder().decode(body)).entry.library)
  await until('an upload of it', () => mine().some((it) => share(dying + 1).includes(it)))
  killed.kill('SIGKILL')
  await killed.ended
  for (const { ended } of runs) {
    const { exitCode, stdout } = await ended
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).results[0]).toMatchObject({ result: 'published', version: '1' })
  }
  const others = names.filter((it) => !share(dying + 1).includes(it))
  expect([...rowsOf(server).keys()]).toEqual(expect.arrayContaining(others))
  for (const [key, object] of server.objects) {
    // Ages the locks by a minute.
    if (key.startsWith('locks/')) object.modified -= 61_000
  }
  const again = await start(dying).ended
  expect(again.exitCode).toBe(0)
  const { serial, results } = JSON.parse(again.stdout)
  expect(serial).toBeNull()
  expect(results.map((it: { library: string }) => it.library)).toEqual(share(dying + 1))
  expect([...rowsOf(server).keys()].sort()).toEqual(names)
})

test('the next night publishes only changes, over the previous generation', async () => {
  const [, world] = worlds
  const before = rowsOf(server)
  const file = list('is new')
  writeFileSync(join(file, '..', 'b', 'index.md'), '# b\n\nThe b whistles loudly.\n')
  const built = await world!.json(['ci', 'build', '--store', '-f', file, '--json'])
  const { b, ...rest } = Object.fromEntries(
    built.results.map((it: { library: string }) => [it.library, it]),
  )
  expect(b).toMatchObject({ result: 'published', state: `generations/${rowsOf(server).get('b')}` })
  expect(Object.values(rest).map((it: any) => it.result)).toEqual(Array(5).fill('unchanged'))
  const after = rowsOf(server)
  expect(names.filter((it) => before.get(it) !== after.get(it))).toEqual(['b'])
  const { hits } = await world!.json(['query', 'whistles', '-l', 'b', '--json'])
  expect(hits[0].text).toContain('whistles loudly')
  expect((await world!.og(['rollback', 'b'])).exitCode).toBe(0)
  expect(rowsOf(server).get('b')).toBe(before.get('b')!)
})

test('rejects options that belong to a registry', async () => {
  const file = list('is new')
  await worlds[0]!.check(['ci', 'build', '-f', file, '-o', 's3://docs/team'], {
    exitCode: 2,
    stderr:
      'error: Cannot create registry "s3://docs/team": it is not a folder\n' +
      'hint: --store publishes to the store in OG_DB_PATH\n',
  })
  await worlds[0]!.check(['ci', 'build', '-f', file, '--store', '--keep', '2'], {
    exitCode: 2,
    stderr: /^error: Cannot use --keep with --store: a store has no index of packs\n/,
  })
})

/** Uses one store in a bucket of Google Cloud Storage from two machines, through the executable. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { handbook, type World } from '../../support/e2e.ts'
import { createBucketMachine } from '../../support/servers/bucket-machines.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'
import { googleKey } from '../../support/servers/google-server.ts'
import { isTraceLine } from '../../../src/platform/trace.ts'

let server: BucketServer
let one: World
let two: World
beforeAll(async () => {
  server = serveBucket('gs')
  ;[one, two] = [await createBucketMachine(server), await createBucketMachine(server)]
})
afterAll(async () => {
  server[Symbol.dispose]()
  await one[Symbol.asyncDispose]()
  await two[Symbol.asyncDispose]()
})

test('two machines add libraries at the same time, and both can search, check and remove them', async () => {
  const ran = await Promise.all([
    one.og(['add', 'handbook', '-s', handbook]),
    two.og(['add', 'guides', '-s', join(handbook, 'guides')]),
  ])
  expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  const query = ['query', 'exit codes of the kettle', '-l', 'handbook', '--json']
  for (const env of [{}, { OG_STORE__CACHE_GB: '0' }]) {
    const { hits } = await two.json(query, { env })
    expect(hits[0].url).toEndWith('commands.rst')
  }
  const { exitCode, stdout } = await two.og(['doctor'])
  expect(stdout).toMatch(/ok {4}store +gs:\/\/docs\/team, format 1: 2 library versions/)
  expect(stdout).toMatch(/ok {4}writing +gs:\/\/docs\/team can be written; conditional/)
  expect(exitCode).toBe(0)
  expect((await one.og(['remove', 'guides', '--all', '-y'])).exitCode).toBe(0)
  const copied = await two.og(['copy', server.address, 'mirror'])
  expect(copied.stdout).toMatch(/^handbook \S+: copied\n$/)
})

test('reports invalid settings in one line, and never prints a key', async () => {
  const fails = async (message: RegExp, env: Record<string, string>) => {
    const { exitCode, stderr, stdout } = await two.og(['add', 'x', '-s', handbook], {
      env: { ...env, OG_DEBUG: '1' },
    })
    const lines = stderr.split('\n').filter((line) => !isTraceLine(line))
    expect(lines[0]).toMatch(message)
    expect(stderr + stdout).not.toContain(googleKey)
    expect(exitCode).toBe(2)
  }
  server.fault = () => server.refused(403, 'forbidden')
  await fails(/^error: Cannot read store gs:\/\/docs\/team: the bucket answers 403 forbidden$/, {})
  server.fault = null
  await fails(/^error: Cannot read ".*nowhere.json": ENOENT$/, {
    GOOGLE_APPLICATION_CREDENTIALS: '/nowhere.json',
  })
  server.isUnsafe = true
  await fails(/^error: Cannot use store gs:.*: the bucket does not honour /, {
    OG_DB_PATH: 'gs://docs/team/other',
  })
})

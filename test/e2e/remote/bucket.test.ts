/** Uses one store in a bucket from two machines, through the executable. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { secret } from '../../support/servers/s3-server.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'

let server: BucketServer
let builder: World
let reader: World
beforeAll(async () => {
  server = serveBucket()
  const { env: keys, address } = server
  ;[builder, reader] = [await createWorld({ ownCache: true }), await createWorld()]
  for (const world of [builder, reader]) Object.assign(world.env, keys, { OG_DB_PATH: address })
})
afterAll(async () => {
  server[Symbol.dispose]()
  await builder[Symbol.asyncDispose]()
  await reader[Symbol.asyncDispose]()
})

const add = ['add', 'handbook', '--source', handbook]

test('finds, reads and checks a library that another machine added', async () => {
  await reader.check(['query', 'kettle'], {
    exitCode: 2,
    stderr:
      'error: Cannot read store s3://docs/team: it contains no og index\n' +
      'hint: OG_DB_PATH or the setting db_path is its path; "og add" creates a store there\n',
  })
  expect((await builder.og(add)).exitCode).toBe(0)
  const [listed] = await reader.json(['list', '--json'])
  expect(listed).toMatchObject({ library: 'handbook', pages: 8 })
  const { hits } = await reader.json(['query', 'exit codes of the kettle', '--json'])
  expect(hits[0].url).toEndWith('commands.rst')
  const page = await reader.og(['get', hits[0].url, '--library', 'handbook'])
  expect(page.stdout).toContain('ERR_TANK_LOW')
  const { exitCode, stdout } = await reader.og(['doctor', '--deep'])
  expect(stdout).toMatch(/ok {4}store +s3:\/\/docs\/team, format 1: 1 library version, 8 pages/)
  expect(stdout).toMatch(/ok {4}writing +s3:\/\/docs\/team can be written; conditional writes hold/)
  expect(exitCode).toBe(0)
  const again = await reader.og(add)
  expect(again.stdout).toContain(': unchanged')
})

test('sees a library that another machine replaced, removed or rolled back', async () => {
  for (const source of [handbook, join(handbook, 'guides')]) {
    const { exitCode } = await reader.og(['add', 'short', '-v', 'v1', '-s', source, '--force'])
    expect(exitCode).toBe(0)
  }
  const pages = async (world: World) =>
    (await world.json(['list', '--json'])).find((it: any) => it.library === 'short')?.pages
  const after = await pages(builder)
  expect((await builder.og(['rollback', 'short'])).exitCode).toBe(0)
  expect(await pages(reader)).not.toBe(after)
  expect((await builder.og(['remove', 'short', '--all', '-y'])).exitCode).toBe(0)
  expect(await pages(reader)).toBeUndefined()
  await builder.check(['gc'], {
    stdout: '',
    stderr: 'Still in use: 2 unused states\nNothing to free.\n',
  })
})

test('reports invalid settings in one line, and never prints a key', async () => {
  const fails = async (message: string, env: Record<string, string>) => {
    const ran = await reader.og(add, { env })
    expect(ran.stderr.split('\n')[0]).toBe(`error: ${message}`)
    expect(ran.stderr + ran.stdout).not.toContain(secret)
    expect(ran.exitCode).toBe(2)
  }
  await fails('Cannot use store ftp://docs/team: ftp:// is not an og store', {
    OG_DB_PATH: 'ftp://docs/team',
  })
  await fails('Cannot use the store: there are no keys for it (profile "default")', {
    AWS_ACCESS_KEY_ID: '',
    AWS_EC2_METADATA_DISABLED: 'true',
  })
  await fails('Cannot read store s3://docs/team: the bucket answers 403 InvalidAccessKeyId', {
    AWS_ACCESS_KEY_ID: 'AKIDOTHER',
  })
  server.isUnsafe = true
  const { stderr } = await reader.og(add, { env: { OG_DB_PATH: 's3://docs/team/other' } })
  expect(stderr).toMatch(
    /^error: Cannot use store s3:\/\/docs\/team\/other: the bucket does not honour/,
  )
  server.isUnsafe = false
})

test('copies a store from the bucket to a folder that can be searched', async () => {
  await reader.check(['copy', 's3://docs/team', 'mirror'], {
    stdout: 'handbook local-DATE: copied\n',
  })
  const folder = { env: { OG_DB_PATH: 'mirror' } }
  const { hits } = await reader.json(['query', 'exit codes of the kettle', '--json'], folder)
  expect(hits[0].url).toEndWith('commands.rst')
  const { stdout } = await reader.og(['copy', 's3://docs/team', 'mirror', '--json'])
  expect(JSON.parse(stdout)).toMatchObject([{ library: 'handbook', status: 'unchanged' }])
  await reader.check(['copy', 'nowhere', 'mirror'], {
    exitCode: 2,
    stderr: /^error: Cannot read store .*nowhere: there is no such folder\n/,
  })
})

test('rebuilds a registry that is missing from the bucket', async () => {
  server.objects.delete('registry.json')
  await reader.check(['list'], {
    exitCode: 2,
    stderr:
      'error: Cannot read store s3://docs/team: registry.json is missing, and generations/ ' +
      'is not empty\nhint: restore registry.json from an earlier version of the object, or "og ' +
      'doctor --repair" makes it from the generations\n',
  })
  const repaired = await reader.og(['doctor', '--repair'])
  expect(repaired.stderr + repaired.stdout).toContain('handbook local-')
  const { hits } = await builder.json(['query', 'exit codes of the kettle', '--json'])
  expect(hits[0].url).toEndWith('commands.rst')
})

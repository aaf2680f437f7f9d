/**
 * Uses one store in tables of a service (`db://`) or a catalog (`rest://`) from two machines,
 * through the executable.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { handbook, type World } from '../../support/e2e.ts'
import { createBucketMachine } from '../../support/servers/bucket-machines.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'
import { catalogKey, serveCatalog } from '../../support/servers/catalog-server.ts'
import { apiKey, serveTables, type TableServer } from '../../support/servers/table-server.ts'

let bucket: BucketServer
let host: TableServer
let builder: World
let reader: World
beforeAll(async () => {
  bucket = serveBucket()
  host = await serveTables()
  ;[builder, reader] = [await createBucketMachine(bucket), await createBucketMachine(bucket)]
  for (const world of [builder, reader]) {
    Object.assign(world.env, {
      OG_DB_PATH: 'db://docs',
      OG_STORE__REGISTRY: bucket.address,
      OG_STORE__TABLES_ENDPOINT: host.url,
      LANCEDB_API_KEY: apiKey,
    })
  }
})
afterAll(async () => {
  bucket[Symbol.dispose]()
  await host[Symbol.asyncDispose]()
  await builder[Symbol.asyncDispose]()
  await reader[Symbol.asyncDispose]()
})

test('adds, queries, gets, lists, updates, checks, rolls back and removes a library', async () => {
  const source = join(builder.folder, 'source')
  cpSync(handbook, source, { recursive: true })
  const added = await builder.og(['add', 'handbook', '--source', source, '--version', '1'])
  expect(added.exitCode).toBe(0)
  const [listed] = await reader.json(['list', '--json'])
  expect(listed).toMatchObject({ library: 'handbook', pages: 8 })
  const { hits } = await reader.json(['query', 'exit codes of the kettle', '--json'])
  expect(hits[0].url).toEndWith('commands.rst')
  const page = await reader.og(['get', hits[0].url, '--library', 'handbook'])
  expect(page.stdout).toContain('ERR_TANK_LOW')
  const deep = await reader.og(['doctor', '--deep'])
  expect(deep.stdout).toContain('db://docs, format 1: 1 library version, 8 pages')
  expect(deep.exitCode).toBe(0)
  writeFileSync(join(source, 'lamp.md'), '# Lamp\n\nThe lamp is lit at dusk.\n')
  const updated = await reader.og(['update', 'handbook'])
  expect(updated.stdout + updated.stderr).toContain('(1 added, 0 modified, 0 deleted, 8 unchanged)')
  const lamp = await builder.json(['query', 'when is the lamp lit', '--json'])
  expect(lamp.hits[0].url).toEndWith('lamp.md')
  expect((await reader.og(['rollback', 'handbook'])).exitCode).toBe(0)
  expect((await builder.json(['list', '--json']))[0]).toMatchObject({ pages: 8 })
  expect((await reader.og(['remove', 'handbook', '--all', '--yes'])).exitCode).toBe(0)
  expect(await builder.json(['list', '--json'])).toEqual([])
})

test('reports every error in one line', async () => {
  const fails = async (line: string, env: Record<string, string>) => {
    const { stderr, exitCode } = await reader.og(
      ['add', 'handbook', '--source', handbook, '--version', '2'],
      { env },
    )
    expect(stderr.split('\n')[0]).toBe(`error: ${line}`)
    expect(exitCode).toBe(2)
  }
  await fails('Cannot use store db://docs: a service keeps tables alone', {
    OG_STORE__REGISTRY: '',
  })
  await fails('Cannot use store s3://docs/team: its tables are in db://docs', {
    OG_DB_PATH: bucket.address,
  })
})

test('adds, queries, checks and copies a store in a catalog', async () => {
  using own = serveBucket()
  await using catalog = serveCatalog(own)
  const env = {
    ...own.env,
    OG_DB_PATH: 'rest://team/docs',
    OG_STORE__REGISTRY: own.address,
    OG_STORE__TABLES_ENDPOINT: catalog.url,
    LANCEDB_API_KEY: catalogKey,
  }
  const added = await builder.og(['add', 'handbook', '--source', handbook, '--version', '1'], {
    env,
  })
  expect(added.stderr + added.exitCode).toBe('0')
  expect(await catalog.tables()).toHaveLength(2)
  const { hits } = await reader.json(['query', 'exit codes of the kettle', '--json'], { env })
  expect(hits[0].url).toEndWith('commands.rst')
  const deep = await reader.og(['doctor', '--deep'], { env })
  expect(deep.stdout).toContain('rest://team/docs, format 1: 1 library version, 8 pages')
  expect(deep.exitCode).toBe(0)
  const dest = join(reader.folder, 'out of it')
  const copied = await reader.og(['copy', 'rest://team/docs', dest], { env })
  expect(copied.stderr + copied.stdout + copied.exitCode).toBe('handbook 1: copied\n0')
  const inFolder = { OG_DB_PATH: dest }
  expect(
    (await reader.json(['query', 'exit codes of the kettle', '--json'], { env: inFolder })).hits[0],
  ).toMatchObject({ url: hits[0].url })
  expect((await reader.og(['doctor', '--deep'], { env: inFolder })).exitCode).toBe(0)
  const [line] = (
    await reader.og(['query', 'kettle'], { env: { ...env, LANCEDB_API_KEY: 'other' } })
  ).stderr.split('\n')
  expect(line).toBe(
    'error: Cannot read store rest://team/docs: the service answers "Unauthenticated"',
  )
})

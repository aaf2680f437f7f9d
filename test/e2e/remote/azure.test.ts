/**
 * Uses one store in a container of Azure Blob Storage from two machines, through the executable.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { handbook, type World } from '../../support/e2e.ts'
import { azureKey, azureSas } from '../../support/servers/azure-server.ts'
import { createBucketMachine } from '../../support/servers/bucket-machines.ts'
import { serveBucket, type BucketServer } from '../../support/servers/bucket-server.ts'
import { isTraceLine } from '../../../src/platform/trace.ts'

let server: BucketServer
let one: World
let two: World
beforeAll(async () => {
  server = serveBucket('az')
  ;[one, two] = [await createBucketMachine(server), await createBucketMachine(server)]
})
afterAll(async () => {
  server[Symbol.dispose]()
  await one[Symbol.asyncDispose]()
  await two[Symbol.asyncDispose]()
})

const names = async (world: World) =>
  (await world.json(['list', '--json'])).map((it: { library: string }) => it.library)

test("two machines add at the same time, and each finds the other's library", async () => {
  const guides = join(handbook, 'guides')
  const ran = await Promise.all([
    one.og(['add', 'handbook', '-s', handbook]),
    two.og(['add', 'guides', '-s', guides]),
  ])
  expect(ran.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(await names(one)).toEqual(['guides', 'handbook'])
  const query = ['query', 'exit codes of the kettle', '-l', 'handbook', '--json']
  const { hits } = await two.json(query)
  expect(hits[0].url).toEndWith('commands.rst')
  server.asked = []
  await two.json(query)
  expect(server.asked).toEqual(['GET registry.json'])
  const { exitCode, stdout } = await two.og(['doctor'])
  expect(stdout).toMatch(/ok {4}store +az:\/\/docs\/team, format 1: 2 library versions/)
  expect(stdout).toMatch(/ok {4}writing +az:\/\/docs\/team can be written; conditional/)
  expect(exitCode).toBe(0)
})

test('copies a store to a searchable folder, and hides a removed library from every reader', async () => {
  const copied = await two.og(['copy', server.address, 'mirror'])
  expect(copied.stdout).toMatch(/^guides .*: copied$/m)
  expect(copied.stdout).toMatch(/^handbook .*: copied$/m)
  expect((await one.og(['remove', 'guides', '--all', '-y'])).exitCode).toBe(0)
  expect(await names(two)).toEqual(['handbook'])
  const { hits } = await two.json(['query', 'exit codes of the kettle', '--json'], {
    env: { OG_DB_PATH: 'mirror' },
  })
  expect(hits[0].url).toEndWith('commands.rst')
})

test('reports invalid settings in one line, and never prints a key', async () => {
  const fails = async (message: string | RegExp, env: Record<string, string>) => {
    const { exitCode, stderr, stdout } = await two.og(['add', 'x', '-s', handbook], {
      env: { ...env, OG_DEBUG: '1' },
    })
    const lines = stderr.split('\n').filter((line) => !isTraceLine(line))
    expect(lines[0]).toMatch(message)
    for (const key of [azureKey, azureSas, 'sas%2F']) expect(stderr + stdout).not.toContain(key)
    expect(exitCode).toBe(2)
  }
  const typed = server.env.AZURE_STORAGE_CONNECTION_STRING!
  const endpoint = /BlobEndpoint=.*/.exec(typed)![0]
  await fails(/^error: Cannot read store az:\/\/docs\/team: the bucket answers 403 Auth/, {
    AZURE_STORAGE_CONNECTION_STRING: typed.replace('acme;', 'other;'),
  })
  await fails(/^error: Cannot read store .* 403 AuthenticationFailed$/, {
    AZURE_STORAGE_CONNECTION_STRING: `${endpoint};SharedAccessSignature=${azureSas}x`,
  })
  await fails(/^error: Cannot use the store: no storage account is set$/, {
    AZURE_STORAGE_CONNECTION_STRING: '',
  })
  server.isUnsafe = true
  await fails(/^error: Cannot use store az:.*: the bucket does not honour If-/, {
    OG_DB_PATH: 'az://docs/team/other',
  })
  server.isUnsafe = false
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'
import { lamps, writeLamps } from '../../support/following/lamps.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { writeFiles } from '../../support/repository.ts'
import { until } from '../../support/until.ts'

test('--detach returns as soon as the library is searchable, and og jobs lists, stops and follows jobs', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  const run = { env: server.env }
  const release = server.hold()
  const add = ['add', 'lights', '-s', writeLamps(world.folder), '-v', '2', '--detach']
  const told = {
    exitCode: 0,
    stdout: 'lights 2: searchable now; its embeddings follow\n',
    stderr: expect.stringContaining('hint: og jobs lights --follow'),
  }
  expect(await world.og(add, run)).toMatchObject(told)
  const [job] = await world.json(['jobs', '--json'], run)
  expect(job).toMatchObject({
    library: 'lights',
    version: '2',
    state: 'running',
    is_searchable: true,
    pages: lamps.pages,
  })
  const { hits } = await world.json(['query', 'blink_3_4', '--json'], run)
  expect(hits[0].heading).toContain('Lamp 3x4')
  // Repeating the command returns the same job.
  expect(await world.og(add, run)).toMatchObject(told)
  expect(await world.json(['jobs', '--json'], run)).toMatchObject([{ pid: job.pid }])
  const remove = ['remove', 'lights', '-v', '2', '-y', '--lock-timeout', '1']
  expect(await world.og(remove, run)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"og jobs lights --stop" ends one'),
  })
  const stopped = await world.og(['jobs', 'lights', '--stop'], run)
  expect(stopped).toMatchObject({ exitCode: 0, stderr: 'Stopped 1 job.\n' })
  expect((await world.og(['jobs'], run)).stdout).toMatch(/^LIBRARY .*\nlights +2 +stopped +/)
  const ended = await world.og(['jobs', '--follow'], run)
  expect(ended).toMatchObject({ exitCode: 130, stderr: expect.stringContaining('Interrupted') })
  const none = { exitCode: 1, stderr: 'error: No job to follow\n' }
  expect(await world.og(['jobs', 'other', '--follow'], run)).toMatchObject(none)

  await world.og(add, run)
  const [again] = await world.json(['jobs', '--json'], run)
  process.kill(again.pid, 'SIGKILL')
  await until(
    'it is gone',
    async () => (await world.json(['jobs', '--json'], run))[0].state === 'killed',
  )
  await world.og(['add', '--resume', '--detach'], run)
  const following = world.start(['jobs', '--follow', '--json'], run)
  release()
  const { exitCode, stdout } = await following.ended
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout).results).toMatchObject([{ library: 'lights', chunks: lamps.chunks }])
  expect((await world.json(['list', '--json'], run))[0].stale).toEqual([])
})

test('with --detach, reports a source that cannot be added in the same way as without', async () => {
  await using world = await createWorld()
  const nowhere = join(world.folder, 'nowhere')
  const ran = await world.og(['add', 'lights', '-s', nowhere, '--detach'])
  expect(ran).toEqual(await world.og(['add', 'lights', '-s', nowhere]))
  writeFiles(join(world.folder, 'docs'), { 'a.md': '# A\n\nText.\n' })
  const small = ['add', 'lights', '-s', join(world.folder, 'docs'), '-v', '1', '--detach', '--json']
  expect(await world.json(small)).toMatchObject({ status: 'added', pages: 1 })
})

test('a background job has the name of the library that it indexes', async () => {
  await using world = await createWorld()
  writeFiles(join(world.folder, 'lanterns'), { 'a.md': '# A\n\nText.\n' })
  await world.og(['add', join(world.folder, 'lanterns'), '--detach'])
  expect(await world.json(['jobs', '--json'])).toMatchObject([{ library: 'lanterns' }])
})

test('removing the last version of a library also removes the source that og listed', async () => {
  await using world = await createWorld()
  world.env['OG_SOURCES__AUTO_ADD_LOCAL'] = 'true'
  writeFiles(join(world.folder, 'manual'), { 'a.md': '# A\n\nText.\n' })
  for (const version of ['1', '2']) {
    await world.og(['add', 'manual', '-s', join(world.folder, 'manual'), '-v', version])
  }
  const sources = () => world.json(['sources', '--json'])
  const first = await world.og(['remove', 'manual', '-v', '1', '-y'])
  expect(first.stderr).toBe('Deleted manual 1 (1 page, 1 chunk).\n')
  expect(await sources()).toContainEqual(expect.objectContaining({ library: 'manual' }))
  const last = await world.og(['remove', 'manual', '--all', '-y'])
  expect(last.stderr).toContain("Removed the source for 'manual' from ")
  expect(await sources()).not.toContainEqual(expect.objectContaining({ library: 'manual' }))
})

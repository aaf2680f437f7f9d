import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { writeFiles } from '../../support/repository.ts'
import { until } from '../../support/until.ts'

const [nPages, nSections] = [10, 10]
const nChunks = nPages * nSections

function writeDocs(world: World): string {
  const section = (page: number, at: number) =>
    `## Lamp ${page}x${at}\n\n\`blink_${page}_${at}()\` says ${'documentation '.repeat(75)}.\n`
  const page = (page: number) =>
    Array.from({ length: nSections }, (_, at) => section(page, at)).join('\n')
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(world.folder, 'docs')
  writeFiles(folder, Object.fromEntries(files))
  return folder
}

test('--detach returns when it can be asked; og jobs lists, stops and follows', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  const run = { env: server.env }
  const release = server.hold()
  const add = ['add', 'lights', '-s', writeDocs(world), '-v', '2', '--detach']
  const told = {
    exitCode: 0,
    stdout: 'lights 2: can be asked now; its embeddings follow\n',
    stderr: expect.stringContaining('hint: og jobs lights --follow'),
  }
  expect(await world.og(add, run)).toMatchObject(told)
  const [job] = await world.json(['jobs', '--json'], run)
  expect(job).toMatchObject({
    library: 'lights', version: '2', state: 'running', is_searchable: true, pages: nPages,
  })
  const { hits } = await world.json(['query', 'blink_3_4', '--json'], run)
  expect(hits[0].heading).toContain('Lamp 3x4')
  // The same again is the same job.
  expect(await world.og(add, run)).toMatchObject(told)
  expect(await world.json(['jobs', '--json'], run)).toMatchObject([{ pid: job.pid }])
  const remove = ['remove', 'lights', '-v', '2', '-y', '--lock-timeout', '1']
  expect(await world.og(remove, run)).toMatchObject({
    exitCode: 2, stderr: expect.stringContaining('"og jobs lights --stop" ends one'),
  })
  const stopped = await world.og(['jobs', 'lights', '--stop'], run)
  expect(stopped).toMatchObject({ exitCode: 0, stderr: 'Stopped 1 job.\n' })
  expect((await world.og(['jobs'], run)).stdout).toMatch(/^LIBRARY .*\nlights +2 +stopped +/)
  const none = { exitCode: 1, stderr: 'error: No job is running\n' }
  expect(await world.og(['jobs', '--follow'], run)).toMatchObject(none)

  await world.og(add, run)
  const [again] = await world.json(['jobs', '--json'], run)
  process.kill(again.pid, 'SIGKILL')
  await until('it is gone', async () =>
    (await world.json(['jobs', '--json'], run))[0].state === 'killed')
  await world.og(['add', '--resume', '--detach'], run)
  const following = world.start(['jobs', '--follow', '--json'], run)
  release()
  const { exitCode, stdout } = await following.ended
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout).results).toMatchObject([{ library: 'lights', chunks: nChunks }])
  expect((await world.json(['list', '--json'], run))[0].stale).toEqual([])
})

test('what cannot be added is told as without --detach', async () => {
  await using world = await createWorld()
  const nowhere = join(world.folder, 'nowhere')
  const ran = await world.og(['add', 'lights', '-s', nowhere, '--detach'])
  expect(ran).toEqual(await world.og(['add', 'lights', '-s', nowhere]))
  writeFiles(join(world.folder, 'docs'), { 'a.md': '# A\n\nText.\n' })
  const small = ['add', 'lights', '-s', join(world.folder, 'docs'), '-v', '1', '--detach', '--json']
  expect(await world.json(small)).toMatchObject({ status: 'added', pages: 1 })
})

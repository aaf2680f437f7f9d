import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tasksExtension } from '../../../src/mcp/tasks.ts'
import { clientMeta, openMcpHome, openRaw, type RawClient } from '../../support/mcp.ts'
import { writeFiles } from '../../support/repository.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const self = [process.execPath, join(import.meta.dir, '../../..', 'src', 'main.ts')]
const openFace = (more: Record<string, string> = {}) =>
  home.face({
    allowIngest: true,
    allowedHosts: ['127.0.0.1'],
    places: home.inProject,
    self,
    env: { PATH: process.env.PATH, ...home.env, ...more },
  })

const home = disposeAfterAll(await openMcpHome())
const client = disposeAfterAll(openRaw(openFace()))

const metaOf = (extensions: Record<string, object> = { [tasksExtension]: {} }) => ({
  ...clientMeta,
  'io.modelcontextprotocol/clientCapabilities': { extensions },
})

function add(of: RawClient, given: Record<string, unknown>, _meta = metaOf()) {
  return of.request('tools/call', { name: 'add_library_tool', arguments: given, _meta })
}

async function ended(of: RawClient, taskId: string): Promise<any> {
  let task: any
  await until('the task has ended', async () => {
    task = (await of.request('tasks/get', { taskId, _meta: metaOf() })).result
    return task.status !== 'working'
  })
  return task
}

test('returns a task at once, and another server can report its result too', async () => {
  const { result: server } = await client.request('server/discover', { _meta: metaOf() })
  expect(server.capabilities.extensions[tasksExtension]).toEqual({})
  const source = join(home.path, 'docs')
  writeFiles(source, { 'a.md': '# A\n\nzither\n' })
  const { result } = await add(client, { library_name: 'Kit', source })
  expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 2_000 })
  expect(result.ttlMs).toBeGreaterThan(3_600_000)
  const other = openRaw(openFace())
  const task = await ended(other, result.taskId)
  expect(task).toMatchObject({
    resultType: 'complete',
    status: 'completed',
    taskId: result.taskId,
    createdAt: result.createdAt,
    result: { structuredContent: { status: 'done', results: [{ library: 'Kit', pages: 1 }] } },
  })
  expect(Date.parse(task.lastUpdatedAt)).toBeGreaterThanOrEqual(Date.parse(task.createdAt))
  expect(task.result.content[0].text).toMatch(/^Kit local-[-\d]+: added\. 1 page,/)
  await other.end()
})

test('reports a failure as the result of the task', async () => {
  const source = join(home.path, 'empty')
  writeFiles(source, { 'a.bin': '' })
  const { result } = await add(client, { library_name: 'Empty', source })
  const task = await ended(client, result.taskId)
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
  expect(task.result.content[0].text).toContain('no documentation pages')
})

test('answers with the tool result if the client accepts no tasks', async () => {
  const source = join(home.path, 'docs')
  const { result } = await add(client, { library_name: 'Plain', source }, metaOf({}))
  expect(result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'done' } })
})

test('cancels a task and rejects an unknown one', async () => {
  await using server = serveEmbeddings()
  server.hold()
  const slow = openRaw(openFace(server.env))
  const source = join(home.path, 'slow')
  writeFiles(source, { 'a.md': '# A\n\nlute\n' })
  const { result } = await add(slow, { library_name: 'Slow', source })
  const { taskId } = result
  const acknowledged = await slow.request('tasks/cancel', { taskId, _meta: metaOf() })
  expect(acknowledged.result).toMatchObject({ resultType: 'complete' })
  expect(await ended(slow, taskId)).toMatchObject({ status: 'cancelled' })
  const updated = await slow.request('tasks/update', {
    taskId,
    inputResponses: {},
    _meta: metaOf(),
  })
  expect(updated.result).toMatchObject({ resultType: 'complete' })
  for (const none of ['', '../../etc', `${taskId}0`, '0123456789abcdef-0']) {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await slow.request(method, { taskId: none, _meta: metaOf() })
      expect(error).toMatchObject({ code: -32602, message: `This server has no task "${none}"` })
    }
  }
  await slow.end()
})

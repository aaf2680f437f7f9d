import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { lamps, writeLamps } from '../../support/following/lamps.ts'
import { connectRaw, openMcpHome } from '../../support/mcp.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const self = [process.execPath, join(import.meta.dir, '../../..', 'src', 'main.ts')]
/** Runs in a project (not in a home folder) and may read from servers on this machine. */
const openFace = () =>
  home.face({
    allowIngest: true,
    allowedHosts: ['127.0.0.1'],
    places: home.inProject,
    self,
    env: { PATH: process.env.PATH, ...home.env },
  })

const home = disposeAfterAll(await openMcpHome())
const client = disposeAfterAll(await connectRaw(openFace()))

test('an agent adds a library, receives progress, and searches the library', async () => {
  const source = join(home.path, 'docs')
  writeFiles(source, { 'a.md': '# A\n\nzither\n' })
  const params = {
    name: 'add_library_tool',
    arguments: { library_name: 'Kit', source },
    _meta: { progressToken: 'p' },
  }
  const { result } = await client.request('tools/call', params)
  const version = expect.stringMatching(/^local-/)
  const counts = { pages: 1, chunks: 1, embedded: 0, failed: [] }
  expect(result.structuredContent).toEqual({
    status: 'done',
    results: [{ status: 'added', library: 'Kit', version, ...counts }],
  })
  expect(result.content[0].text).toMatch(/^Kit local-[-\d]+: added\. 1 page, 1 chunk, 0 embedded/)
  const told = client.received.filter(({ method }) => method === 'notifications/progress')
  expect(told.length).toBeGreaterThan(0)
  for (const { params } of told) {
    expect(params).toMatchObject({ progressToken: 'p', message: expect.any(String) })
  }
  const found = await client.call('search_documents_tool', { query: 'zither', library_name: 'kit' })
  expect(found.structuredContent.matches).toBe(1)
  writeFiles(source, { 'b.md': '# B\n\nlute\n' })
  const updated = await client.call('update_library_tool', { library_name: 'kit' })
  const second = { status: 'updated', library: 'Kit', pages: 2 }
  expect(updated.structuredContent).toMatchObject({ status: 'done', results: [second] })
})

test('reports the same errors as the command line', async () => {
  const missing = { library_name: 'none', source: join(home.path, 'nowhere') }
  const { isError, content } = await client.call('add_library_tool', missing)
  expect(isError).toBe(true)
  expect(content[0].text).toContain('nowhere')
  const dashes = await client.call('add_library_tool', { library_name: '-x', source: '--help' })
  expect(dashes.isError).toBe(true)
  expect(dashes.content[0].text).not.toContain('Usage')
  const unknown = await client.call('update_library_tool', { library_name: 'kti' })
  expect(unknown.content[0].text).toContain("Did you mean 'Kit'?")
})

/** A repository whose server never answers, so that the job keeps running. */
function hangingSource() {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  return { url: `git://127.0.0.1:${server.port}/x.git`, stop: () => server.stop(true) }
}

const isAlive = (word: string) =>
  Bun.spawnSync(['pgrep', '-f', word]).stdout.toString().trim() !== ''

const isAdded = async () => (await home.og.list()).some(({ library }) => library === 'later')

test('stops waiting in time, attaches a second call, and ends the job on cancel', async () => {
  const source = hangingSource()
  const given = { library_name: 'slow', source: source.url }
  const call = { name: 'add_library_tool', arguments: { ...given, wait_seconds: 0 } }
  const first = await client.call(call.name, call.arguments)
  expect(first.structuredContent).toEqual({ status: 'running', results: [] })
  const params = { ...call, arguments: { ...given, wait_seconds: 3_000 } }
  void client.request('tools/call', params, 901)
  // A child process that has just started still shows its parent's command line.
  const jobs = () =>
    Bun.spawnSync(['pgrep', '-fc', `source=${source.url}`])
      .stdout.toString()
      .trim()
  await until('one job runs', () => jobs() === '1')
  client.notify('notifications/cancelled', { requestId: 901 })
  await until('the job has ended', () => !isAlive(`source=${source.url}`))
  source.stop()
})

test('continues a job after its client has disconnected', async () => {
  const source = join(home.path, 'repository')
  commit(source, { 'a.md': '# A\n\ndulcimer\n' })
  git(source, 'tag', '1')
  const leaving = await connectRaw(openFace())
  const given = { library_name: 'later', source, version: '1' }
  void leaving.call('add_library_tool', given)
  await until('the job runs', async () => isAlive(`source=${source}`) || (await isAdded()))
  await leaving.end()
  await until('the library is there', isAdded)
})

test('returns before embedding on the first call, and waits for embeddings on the second', async () => {
  await using server = serveEmbeddings()
  const release = server.hold()
  const env = { PATH: process.env.PATH, ...home.env, ...server.env }
  const places = home.inProject
  const asking = await connectRaw(
    home.face({ allowIngest: true, allowedHosts: ['127.0.0.1'], places, self, env }),
  )
  const given = { library_name: 'lamps', source: writeLamps(join(home.path, 'lamps')) }
  const first = await asking.call('add_library_tool', given)
  expect(first.structuredContent).toEqual({ status: 'running', results: [], searchable: true })
  expect(first.content[0].text).toStartWith('lamps can be searched now')
  const found = await asking.call('search_documents_tool', { query: 'blink_3_4' })
  expect(found.structuredContent.hits[0].heading).toContain('Lamp 3x4')
  const waited = await asking.call('add_library_tool', { ...given, wait_seconds: 0 })
  expect(waited.structuredContent).toEqual({ status: 'running', results: [] })
  const params = { name: 'add_library_tool', arguments: given, _meta: { progressToken: 'again' } }
  const again = asking.request('tools/call', params)
  const isTold = ({ params }: any) => params?.progressToken === 'again'
  // Otherwise the job could end before the call arrives, and the call would start another job.
  await until('the call waits for the job', () => asking.received.some(isTold))
  release()
  const { result } = await again
  expect(result.structuredContent).toMatchObject({
    status: 'done',
    results: [{ status: 'added', pages: lamps.pages, embedded: lamps.chunks }],
  })
  await asking.end()
})

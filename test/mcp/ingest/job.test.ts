import { expect, test, describe } from 'bun:test'
import { join } from 'node:path'
import { lamps, writeLamps } from '../../support/following/lamps.ts'
import { connectRaw, openMcpHome } from '../../support/mcp.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { noProgress, type AddResult } from '../../../src/library/library.ts'
import { parseJobResult, progressOf, renderJobResult } from '../../../src/mcp/ingest/job.ts'

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

const counts = { pages: 3, chunks: 9, embedded: 4 }
const added: AddResult = {
  library: 'kit',
  version: '1.0',
  status: 'added',
  ...counts,
  skipped: [],
  kept: 0,
  incomplete: null,
  seconds: 1,
  failed: [{ url: 'https://kit.test/a*b', reason: 'HTTP 500' }],
  diff: { added: 3, modified: 0, deleted: 0, unchanged: 0 },
}

const end = (exitCode: number | null, stdout: string, notes: string[] = []) =>
  parseJobResult({ exitCode, stdout, notes })

describe('the output of a finished job', () => {
  test('returns one result for add, and a list with failures for update', () => {
    expect(end(0, JSON.stringify(added))).toEqual({ results: [added], failures: [] })
    const updated = { results: [added], failures: [{ library: 'a', version: '2', error: 'gone' }] }
    expect(end(1, JSON.stringify(updated))).toEqual(updated)
  })

  test('throws the error of a failed job with the hint that follows it', () => {
    const notes = ['hint: of a warning', 'error: Cannot read "kit"', 'hint: name a source']
    expect(() => end(2, '', notes)).toThrow(
      expect.objectContaining({ message: 'Cannot read "kit"', hint: 'name a source' }),
    )
    expect(() => end(null, '')).toThrow('Indexing was killed')
    expect(() => end(137, '')).toThrow('Indexing ended with code 137')
  })
})

test('names failed pages and versions in text and data', () => {
  const failures = [{ library: 'kit', version: '2.0', error: 'no such tag', hint: 'use 1.0' }]
  const { text, structured } = renderJobResult({ results: [added], failures })
  expect(text).toBe(
    'kit 1.0: added. 3 pages, 9 chunks, 4 embedded now, 1 page failed.\n' +
      'Failed: https://kit.test/a\\*b: HTTP 500\n' +
      'kit 2.0: failed. no such tag\nhint: use 1.0\n',
  )
  const failed = { library: 'kit', version: '2.0', status: 'failed' as const, error: 'no such tag' }
  const good = {
    library: 'kit',
    version: '1.0',
    status: 'added' as const,
    ...counts,
    failed: added.failed,
  }
  expect(structured).toEqual({ status: 'done', results: [good, failed] })
})

test('reports a total once all pages are read', () => {
  const progress = { ...noProgress, pages: 5, toEmbed: 8, embedded: 2 }
  const fetching = progressOf({ ...progress, phase: 'fetching' })
  expect(fetching).toMatchObject({ done: 7, total: null })
  expect(progressOf({ ...progress, phase: 'embedding' })).toEqual({
    done: 7,
    total: 13,
    message: 'embedding, 5 pages, 2 of 8 chunks',
  })
})

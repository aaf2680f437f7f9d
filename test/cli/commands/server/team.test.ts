/**
 * A client with a key learns nothing through any tool or view about a library outside that key.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTeam, type Team } from '../../../../src/cli/commands/server/team.ts'
import { jobFiles, jobsFolder } from '../../../../src/library/jobs/job-folder.ts'
import { docsTools } from '../../../../src/mcp/face.ts'
import { ingestTools } from '../../../../src/mcp/ingest/ingest-tools.ts'
import { serveOverHttp, type HttpServer } from '../../../../src/mcp/http/http.ts'
import { openReadiness } from '../../../../src/mcp/http/readiness.ts'
import type { SitePage } from '../../../../src/mcp/http/site.ts'
import { changeTeamKeys } from '../../../../src/mcp/team/key-ring.ts'
import type { TeamKey } from '../../../../src/mcp/team/team-key.ts'
import { sha256 } from '../../../../src/platform/hash.ts'
import { sourceNames } from '../../../../src/library/sources/source-list.ts'
import { healthRoutes } from '../../../../src/web/library/health-page.ts'
import { jobRoutes } from '../../../../src/web/library/jobs.ts'
import { libraryRoutes } from '../../../../src/web/library/libraries-page.ts'
import { pagesRoutes } from '../../../../src/web/library/pages-page.ts'
import { diffRoutes } from '../../../../src/web/read/diff-page.ts'
import { readRoutes } from '../../../../src/web/read/read-page.ts'
import { searchRoutes } from '../../../../src/web/search/search-page.ts'
import { openWebSite } from '../../../../src/web/site.ts'
import { openMcpHome, type McpHome } from '../../../support/mcp.ts'
import { openShownHome } from '../../../support/page/memory.ts'
import { formTokenIn } from '../../../support/page/site.ts'

/**
 * `hidden` exists but the key does not open it; `absent` does not exist. The answers about both
 * must look alike.
 */
const hidden = { library: 'veiled-vault', version: '9.8.7', url: 'doc:/gravitron.md' }
const absent = { library: 'veiled-vaunt', version: '9.8.6', url: 'doc:/gravitrom.md' }
const ofHidden = /veiled-vault|9\.8\.7|gravitron|graviton/i
const secret = 'og_restricted-key-of-some-length'
const bearer = { Authorization: `Bearer ${secret}` }

let home: McpHome
let team: Team
let server: HttpServer

const restricted: TeamKey = {
  name: 'alice',
  sha256: sha256(secret),
  libraries: ['open-*', '*-public'],
  may: ['search', 'page', 'ingest'],
}

beforeAll(async () => {
  home = await openMcpHome()
  await home.add('open-kit', '1', { 'a.md': '# Zither\n\nHow a zither is played.\n' })
  await home.add('open-kit', '2', { 'a.md': '# Zither\n\nHow a zither is tuned.\n' })
  await home.add(hidden.library, hidden.version, {
    'gravitron.md': '# Graviton drive\n\nA zither of gravitons, moonquakes and a zither.\n',
  })
  // The hidden library is also in a source list and in a running job.
  const sources = { [hidden.library]: { type: 'sitemap', sitemap_url: 'https://a.example/s.xml' } }
  writeFileSync(join(home.path, 'sources.json'), JSON.stringify(sources))
  await recordJob()
  const keysPath = join(home.path, 'keys.json')
  await changeTeamKeys(keysPath, () => [restricted])
  const places = { file: null, cwd: home.path, home: home.path, lists: home.path }
  const options = {
    allowIngest: true,
    answerShape: 'og' as const,
    limit: 5,
    isInProject: false,
    self: ['false'],
    env: home.env,
    statsPath: join(home.path, 'stats.json'),
    places,
    warn() {},
  }
  const fullFace = home.face()
  team = await openTeam(home.og, keysPath, { token: null, fullFace, options, warn() {} })
  const ingest = { self: ['false'], env: home.env, checkSource: async () => {} }
  const knownSources = () => sourceNames(places)
  const shown = { og: home.og, limit: 8, knownSources, ingest, memory: null }
  const page = openWebSite(shown, null, team.page)
  const readiness = openReadiness(home.og, { libraries: [], warn() {} })
  const place = { hostname: '127.0.0.1', port: 0, allowedHosts: [], warn() {} }
  server = serveOverHttp({ ...team.site, page, readiness }, place)
  // Libraries that are open to everyone must be hidden too.
  await home.og.search({ query: 'zither', library: null, version: null, limit: 9 })
})
afterAll(async () => {
  await server.close()
  await team[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

async function recordJob(): Promise<void> {
  const path = join(jobsFolder((await home.og.places()).dbPath), '0123456789abcdef')
  mkdirSync(path, { recursive: true })
  const { library, version } = hidden
  const record = {
    library,
    version,
    words: ['add', library],
    pid: 2 ** 22,
    startedAt: new Date().toISOString(),
  }
  writeFileSync(join(path, jobFiles.record), JSON.stringify(record))
  writeFileSync(join(path, jobFiles.log), `error: ${library} failed\n`)
}

type Named = typeof hidden

async function rpc(method: string, params: object): Promise<string> {
  const accept = 'application/json, text/event-stream'
  const answer = await fetch(server.url, {
    method: 'POST',
    headers: { ...bearer, 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return `${answer.status} ${await answer.text()}`
}

const asked = new Set<string>()

const call = (name: string, given: object) => () => {
  asked.add(name)
  return rpc('tools/call', { name, arguments: given })
}

/** Calls of every tool, with and without the library's name and version. */
function calls({ library, version, url }: Named): Record<string, () => Promise<string>> {
  const uri = `og://${library}/${version}/${url.slice(5)}`
  const ref = { type: 'ref/resource', uri: 'og://{library}/{version}/{+path}' }
  const completed =
    (name: string, value: string, given = {}) =>
    () =>
      rpc('completion/complete', { ref, argument: { name, value }, context: { arguments: given } })
  return {
    list: call('list_libraries_tool', {}),
    'list of a term': call('list_libraries_tool', { search_term: library.slice(0, 8) }),
    'list of a slip': call('list_libraries_tool', { search_term: `${library}s` }),
    search: call('search_documents_tool', { query: 'moonquakes', limit: 50 }),
    'search, strict': call('search_documents_tool', { query: 'moonquakes', strict: true }),
    'search of a name': call('search_documents_tool', { query: `how to use ${library}` }),
    'search in it': call('search_documents_tool', { query: 'zither', library_name: library }),
    'search in a slip': call('search_documents_tool', {
      query: 'zither',
      library_name: `${library}s`,
    }),
    'search in both': call('search_documents_tool', {
      query: 'zither',
      library_name: `open-kit,${library}`,
    }),
    'search in a version': call('search_documents_tool', { query: 'zither', version }),
    'search in its version': call('search_documents_tool', {
      query: 'zither',
      library_name: `${library}@${version}`,
    }),
    'search by path': call('search_documents_tool', { query: 'zither', path: url.slice(5) }),
    read: call('get_full_content_tool', { url, version }),
    'read in it': call('get_full_content_tool', { url, version, library_name: library }),
    'read in another': call('get_full_content_tool', {
      url,
      version: '1',
      library_name: 'open-kit',
    }),
    diff: call('diff_api_tool', { from: `${library}@${version}`, to: `${library}@2` }),
    add: call('add_library_tool', { library_name: library }),
    'add with a source': call('add_library_tool', {
      library_name: library,
      source: 'https://a.example/s.xml',
      wait_seconds: 0,
    }),
    'add a slip': call('add_library_tool', { library_name: `open-${library}`, wait_seconds: 0 }),
    update: call('update_library_tool', { library_name: library, wait_seconds: 0 }),
    'update a version': call('update_library_tool', { library_name: 'open-kit', version }),
    alias: call('search_documents', { query: 'zither', library_name: library }),
    initialize: () =>
      rpc('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }),
    tools: () => rpc('tools/list', {}),
    prompts: () => rpc('prompts/list', {}),
    resources: () => rpc('resources/list', {}),
    'resources after it': () => rpc('resources/list', { cursor: `${library}/${version}/0` }),
    resource: () => rpc('resources/read', { uri }),
    templates: () => rpc('resources/templates/list', {}),
    'complete a library': completed('library', 'v'),
    'complete a version': completed('version', '', { library }),
    'complete a path': completed('path', '', { library, version }),
  }
}

async function page(path: string, form?: Record<string, string>): Promise<string> {
  const answer = await fetch(new URL(path, server.url), {
    method: form ? 'POST' : 'GET',
    headers: bearer,
    redirect: 'manual',
    ...(form && { body: new URLSearchParams(form) }),
  })
  return `${answer.status} ${answer.headers.get('location')} ${await answer.text()}`
}

/** Requests to every route of the web page. */
function visits(named: Named, form: string): Record<string, () => Promise<string>> {
  const { library, version, url } = named
  const asked = String(new URLSearchParams({ library, version, url }))
  const posted = { form, library, version }
  const compared = new URLSearchParams({ library, from: version, to: version, was: url, url })
  return {
    'GET /': () => page(`/?${new URLSearchParams({ q: 'zither', library })}`),
    'GET / of all': () => page('/?q=moonquakes'),
    'GET /hits': () => page(`/hits?${new URLSearchParams({ q: 'zither', library, version })}`),
    'GET /hits of a name': () => page(`/hits?${new URLSearchParams({ q: library })}`),
    'GET /read': () => page(`/read?${asked}`),
    'GET /read anywhere': () => page(`/read?${new URLSearchParams({ url })}`),
    'GET /diff': () => page(`/diff?${compared}`),
    'GET /libraries': () => page('/libraries'),
    'GET /pages': () => page(`/pages?${asked}`),
    'GET /chunks': () => page(`/chunks?${asked}`),
    'GET /health-of': () => page(`/health-of?${asked}`),
    'POST /health-of': () => page('/health-of', posted),
    'POST /libraries/add': () => page('/libraries/add', posted),
    'POST /libraries/add from a source': () =>
      page('/libraries/add', { ...posted, source: 'https://a.example/s.xml' }),
    'POST /libraries/update': () => page('/libraries/update', posted),
    'POST /libraries/resume': () => page('/libraries/resume', posted),
    'POST /libraries/rollback': () => page('/libraries/rollback', posted),
    'GET /libraries/remove': () => page(`/libraries/remove?${asked}`),
    'POST /libraries/remove': () => page('/libraries/remove', posted),
    'POST /jobs/stop': () => page('/jobs/stop', { form, job: '0123456789abcdef' }),
    'GET /jobs/events': firstEvent,
    '/health': () => page('/health'),
    '/ready': () => page('/ready'),
    '/metrics': () => page('/metrics'),
    '/login': () => page('/login'),
    '/memory': () => page('/memory'),
    '/mcp/': () => page(`/mcp/${library}`),
  }
}

async function firstEvent(): Promise<string> {
  const answer = await fetch(new URL('/jobs/events', server.url), { headers: bearer })
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  await reader.cancel()
  return new TextDecoder().decode(value)
}

/** Replaces the names in the request, so that only differences between the answers remain. */
function unnamed(text: string, { library, version, url }: Named): string {
  const names = [library, library.slice(0, 8), version, url, url.slice(5)]
  const timed = text.replace(/\d+ ms/g, 'N ms')
  return names.reduce((said, name) => said.replaceAll(name, 'X'), timed)
}

async function checkAlike(
  ways: (named: Named) => Record<string, () => Promise<string>>,
): Promise<void> {
  const [there, control] = [ways(hidden), ways(absent)]
  for (const [way, ask] of Object.entries(there)) {
    const [said, expected] = [await ask(), await control[way]!()]
    const heard = unnamed(said, hidden)
    expect([way, heard]).toEqual([way, unnamed(expected, absent)])
    // The answer may repeat the names in the request, but must say nothing else about the library.
    expect([way, ofHidden.test(heard)]).toEqual([way, false])
  }
}

test('no tool reveals a hidden library, and the test covers every tool', async () => {
  await checkAlike(calls)
  for (const { name } of [...docsTools, ...ingestTools]) expect([...asked]).toContain(name)
}, 60_000)

test('no view reveals a hidden library, and the test covers every route', async () => {
  const form = formTokenIn(await page('/libraries'))
  expect(form).not.toBe('')
  const ways = Object.keys(visits(hidden, form))
  const routes = [
    ...searchRoutes,
    ...readRoutes,
    ...diffRoutes,
    ...libraryRoutes,
    ...pagesRoutes,
    ...jobRoutes,
    ...healthRoutes,
  ]
  for (const { method, path } of routes) expect(ways).toContain(`${method} ${path}`)
  await checkAlike((named) => visits(named, form))
}, 60_000)

test('a memory key opens memory but no library, even beside team keys', async () => {
  const token = 'the-token-of-this-server'
  const ofMemory = 'a-key-of-memory-of-some-length'
  const keys = [ofMemory, token].map((one) => ({ secret: one, workspaces: null, readOnly: false }))
  await using memory = await openShownHome({ keys })
  const ingest = { self: ['false'], env: {}, checkSource: async () => {} }
  const shown = {
    og: home.og,
    limit: 8,
    knownSources: async () => [hidden.library],
    ingest,
    memory: memory.shown,
  }
  const ask = async (site: SitePage, key: string, path: string, form?: Record<string, string>) => {
    const answer = await site.answer(
      new Request(`http://127.0.0.1:1${path}`, {
        headers: { Authorization: `Bearer ${key}` },
        method: form ? 'POST' : 'GET',
        ...(form && { body: new URLSearchParams(form) }),
      }),
    )
    return `${answer.status} ${await answer.text()}`
  }
  for (const own of [null, token]) {
    const site = openWebSite(shown, own, team.page)
    expect(await ask(site, ofMemory, '/memory')).toStartWith('200')
    for (const path of [
      '/libraries',
      '/?q=graviton',
      '/hits?q=zither',
      '/pages?library=open-kit',
    ]) {
      expect(await ask(site, ofMemory, path)).not.toMatch(/veiled-vault|open-kit.*<\/a>|zither of/)
    }
    const form = formTokenIn(await ask(site, ofMemory, '/memory'))
    const removed = await ask(site, ofMemory, '/libraries/remove', { form, ...hidden })
    expect(removed).toContain('cannot change libraries')
  }
  const whole = openWebSite(shown, token, team.page)
  expect(await ask(whole, token, '/libraries')).toContain('veiled-vault')
})

test('a version in a library name does not open another library', async () => {
  const name = `${hidden.library}@9-public`
  const form = formTokenIn(await page('/libraries'))
  const adding = { library: name, source: 'https://a.example/s.xml' }
  expect(await page('/libraries/add', { form, ...adding })).toContain('may not have it')
  const { library: library_name, source } = adding
  const added = await rpc('tools/call', {
    name: 'add_library_tool',
    arguments: { library_name, source, wait_seconds: 0 },
  })
  expect(added).toContain('this key may not have it')
})

test('shows everything that the key opens', async () => {
  expect(await call('search_documents_tool', { query: 'zither' })()).toContain('open-kit')
  expect(await page('/libraries')).toContain('open-kit')
  expect(await page('/ready')).toContain('"warm":[{"library":"open-kit"')
  expect(await home.og.list()).toHaveLength(3)
})

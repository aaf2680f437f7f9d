import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { pack } from 'tar-stream'
import { serveLocal } from './serve-local.ts'

/** Registries of npm, Python, Rust and Go on loopback, each in its real format. */
export type Registries = Disposable & {
  url: string
  requests: string[]
  /** Settings with which the clients of all four registries use this server. */
  env: Record<string, string>
}

/** The metadata of one package, `heron`, in all four registries. */
export type Published = {
  repository?: string
  documentation?: string
  homepage?: string
  files?: Record<string, string>
  versions?: string[]
  /** The server rejects requests without this header. */
  authorization?: string
  /** The Python index is HTML, without metadata files. */
  isPlainHtml?: boolean
  /** The crate depends on `heron_core`. The index has its versions 0.5.2, 0.5.6 and 0.6.0. */
  hasRelative?: boolean
  /** Pages below `/docs/` in the layout of docs.rs. */
  hasDocsRs?: boolean
}

export async function openRegistries(published: Published): Promise<Registries> {
  const requests: string[] = []
  const { authorization } = published
  const archives = await archivesOf(published)
  const server = serveLocal((request) => {
    const path = new URL(request.url).pathname
    requests.push(`${request.method} ${path}`)
    const isKnown = !authorization || request.headers.get('authorization') === authorization
    if (!isKnown) return new Response('who are you?', { status: 401 })
    const found = answer(path, { published, archives, origin: server.url.origin })
    return found ?? new Response('not found', { status: 404 })
  })
  const url = server.url.origin
  const folder = mkdtempSync(join(tmpdir(), 'og-registries-'))
  writeFileSync(join(folder, 'config.toml'), '[source.crates-io]\nreplace-with = "here"\n')
  return {
    url,
    requests,
    env: {
      npm_config_registry: `${url}/npm/`,
      npm_config_userconfig: '/dev/null',
      npm_config_globalconfig: '/dev/null',
      PIP_INDEX_URL: `${url}/simple`,
      CARGO_HOME: folder,
      CARGO_REGISTRIES_HERE_INDEX: `sparse+${url}/crates/`,
      GOPROXY: `${url}/go,off`,
    },
    [Symbol.dispose]() {
      void server.stop(true)
      rmSync(folder, { recursive: true })
    },
  }
}

type Archives = { tgz: Uint8Array; crate: Uint8Array; zip: Uint8Array }
type Answering = { published: Published; archives: Archives; origin: string }

const module = 'go.heron.example/heron'

function versionsOf({ versions = ['1.2.0'] }: Published): string[] {
  return versions
}

function answer(path: string, answering: Answering): Response | null {
  const [, registry, ...rest] = path.split('/')
  const name = rest.join('/')
  if (registry === 'npm') return npm(decodeURIComponent(name), answering)
  if (registry === 'simple' || registry === 'files' || registry === 'pypi') {
    return pypi(registry, name, answering)
  }
  if (registry === 'docs' && name === 'heron/1.2.0/heron/' && answering.published.hasDocsRs) {
    return bytes('<!doctype html><title>heron</title><h1>Crate heron</h1>', 'text/html')
  }
  if (registry === 'crates') return crates(name, answering)
  return registry === 'go' ? go(name, answering) : null
}

function npm(name: string, { published, archives, origin }: Answering): Response | null {
  const manifest = (own: string, version: string) => ({
    name: own,
    version,
    homepage: published.homepage,
    repository: published.repository && { type: 'git', url: published.repository },
    dist: { tarball: `${origin}/npm/${own}/-/heron-${version}.tgz` },
  })
  const [, own = '', asked = ''] = /^((?:@team\/)?heron)(?:\/(.*))?$/.exec(name) ?? []
  if (own === '') return null
  if (asked.endsWith('.tgz')) return bytes(archives.tgz, 'application/octet-stream')
  const versions = versionsOf(published)
  const latest = versions.at(-1)!
  if (asked === '') {
    const all = Object.fromEntries(versions.map((it) => [it, manifest(own, it)]))
    return Response.json({ name: own, 'dist-tags': { latest }, versions: all })
  }
  const version = asked === 'latest' ? latest : asked
  return versions.includes(version) ? Response.json(manifest(own, version)) : null
}

function pypi(room: string, name: string, answering: Answering): Response | null {
  const { published, archives, origin } = answering
  const { documentation, homepage, repository, isPlainHtml = false } = published
  const urls = Object.entries({
    Documentation: documentation,
    Homepage: homepage,
    Source: repository,
  }).filter(([, url]) => url !== undefined)
  const filesOf = (version: string) => [
    `heron-${version}-py3-none-any.whl`,
    `heron-${version}.tar.gz`,
  ]
  if (room === 'simple' && name === 'heron/') {
    const files = versionsOf(published).flatMap(filesOf)
    const links = files.map((it) => `<a href="../../files/${it}#sha256=0">${it}</a><br/>`)
    if (isPlainHtml) return bytes(`<!DOCTYPE html><html><body>${links.join('')}`, 'text/html')
    const listed = files.map((filename) => ({
      filename,
      url: `${origin}/files/${filename}`,
      hashes: {},
      yanked: false,
    }))
    return bytes(
      JSON.stringify({ meta: { 'api-version': '1.1' }, name: 'heron', files: listed }),
      'application/vnd.pypi.simple.v1+json',
    )
  }
  if (room === 'files' && name.endsWith('.metadata') && !isPlainHtml) {
    const lines = urls.map(([label, url]) => `Project-URL: ${label}, ${url}`)
    return bytes(
      ['Metadata-Version: 2.1', 'Name: heron', ...lines, '', 'Text.'].join('\n'),
      'application/octet-stream',
    )
  }
  if (room === 'files' && name.endsWith('.tar.gz')) {
    return bytes(archives.tgz, 'application/gzip')
  }
  if (room !== 'pypi' || name !== 'heron/json') return null
  return Response.json({ info: { version: '1.2.0', project_urls: Object.fromEntries(urls) } })
}

function crates(name: string, { published, archives, origin }: Answering): Response | null {
  if (name === 'config.json') return Response.json({ dl: `${origin}/crates/dl`, api: origin })
  if (name === 'he/ro/heron') {
    const lines = [...versionsOf(published), '9.0.0'].map((vers) =>
      JSON.stringify({ name: 'heron', vers, deps: [], cksum: '0', yanked: vers === '9.0.0' }),
    )
    return bytes(`${lines.join('\n')}\n`, 'text/plain')
  }
  if (name === 'he/ro/heron_core') {
    const lines = ['0.5.2', '0.5.6', '0.6.0'].map((vers) =>
      JSON.stringify({ name: 'heron_core', vers, deps: [], cksum: '0', yanked: false }),
    )
    return bytes(`${lines.join('\n')}\n`, 'text/plain')
  }
  return name.endsWith('/download') ? bytes(archives.crate, 'application/gzip') : null
}

function go(name: string, { published, archives }: Answering): Response | null {
  const versions = versionsOf(published).map((version) => `v${version}`)
  if (name === `${module}/@v/list`) return bytes(`${versions.join('\n')}\n`, 'text/plain')
  if (name.endsWith('.zip')) return bytes(archives.zip, 'application/zip')
  const version = /\/@v\/(.*)\.info$/.exec(name)?.[1]
  if (version === undefined || !versions.includes(version)) return null
  const { repository } = published
  return Response.json({
    Version: version,
    Time: '2026-01-01T00:00:00Z',
    ...(repository ? { Origin: { VCS: 'git', URL: repository } } : {}),
  })
}

function bytes(body: string | Uint8Array, type: string): Response {
  return new Response(typeof body === 'string' ? body : new Uint8Array(body), {
    headers: { 'content-type': type },
  })
}

async function archivesOf(published: Published): Promise<Archives> {
  const { files = { 'README.md': '# Heron\n' }, repository, documentation, homepage } = published
  const fields = Object.entries({ repository, documentation, homepage }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = "${value}"`],
  )
  const depends = published.hasRelative ? '[dependencies]\nheron_core = "0.5.2"\n' : ''
  const cargo = `[package]\nname = "heron"\nversion = "1.2.0"\n${fields.join('\n')}\n${depends}`
  const inGo = Object.entries(files).map(
    ([path, text]) => [`${module}@v1.2.0/${path}`, Buffer.from(text)] as const,
  )
  return {
    tgz: await tarOf('heron-1.2.0', files),
    crate: await tarOf('heron-1.2.0', { ...files, 'Cargo.toml': cargo }),
    zip: zipSync(Object.fromEntries(inGo)),
  }
}

async function tarOf(top: string, files: Record<string, string>): Promise<Uint8Array> {
  const tar = pack()
  for (const [path, text] of Object.entries(files)) tar.entry({ name: `${top}/${path}` }, text)
  tar.finalize()
  return gzipSync(Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>)))
}

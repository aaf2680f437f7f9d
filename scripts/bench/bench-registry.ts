/**
 * Serves a signed registry of 1,000 libraries with five versions each on loopback. Times `og
 * registry search`, and times `og add` until it requests the pack that it has chosen. Reports wall
 * time, which depends on the load, and CPU time of all cores. Both are in milliseconds.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { newMinisignKeys, parseSecretKey, signIndex } from '../../src/platform/minisign.ts'
import { indexText, type RegistryPack } from '../../src/library/registry/index-format.ts'

type Timed = { wallMs: number[]; cpuMs: number[] }

export async function benchRegistry(og: string, home: string, runs: number) {
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  const { secretKey, publicKey } = newMinisignKeys()
  const index = indexText({
    serial: 1,
    time: new Date().toISOString(),
    expires: '2100-01-01T00:00:00.000Z',
    packs: packs(),
  })
  const signature = signIndex(parseSecretKey(secretKey), Buffer.from(index), { comment: 'bench' })
  let onPack = () => {}
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/index.json.minisig') return new Response(signature)
      if (pathname !== '/index.json') return onPack(), new Response(null, { status: 404 })
      const headers = { etag: '"1"' }
      if (request.headers.get('if-none-match') !== '"1"') return new Response(index, { headers })
      return new Response(null, { status: 304, headers })
    },
  })
  const run = async (...words: string[]) => {
    const started = performance.now()
    const asked = new Promise<number>((done) => {
      onPack = () => done(performance.now() - started)
    })
    const child = Bun.spawn([og, ...words], {
      env: { HOME: home, PATH: process.env.PATH },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await child.exited
    const wallMs = performance.now() - started
    const chosenMs = await Promise.race([asked, wallMs])
    return { wallMs, chosenMs, cpuMs: Number(child.resourceUsage()!.cpuTime.total) / 1000 }
  }
  await run('registry', 'add', server.url.origin, '--key', publicKey.split('\n')[1]!)
  const search: Timed = { wallMs: [], cpuMs: [] }
  const resolve: Timed = { wallMs: [], cpuMs: [] }
  for (let i = 0; i < runs; i++) {
    const found = await run('registry', 'search', `library-${i}`)
    search.wallMs.push(found.wallMs)
    search.cpuMs.push(found.cpuMs)
    const added = await run('add', `library-${i}@1.3`, '--from', 'pack')
    resolve.wallMs.push(added.chosenMs)
    resolve.cpuMs.push(added.cpuMs)
  }
  rmSync(home, { recursive: true })
  const figures = ({ wallMs, cpuMs }: Timed) => ({
    wallMs: least(wallMs),
    wallMsMedian: median(wallMs),
    cpuMs: median(cpuMs),
  })
  return {
    indexMegabytes: Buffer.byteLength(index) / 1e6,
    'registry search': figures(search),
    'add, until the pack is chosen': figures(resolve),
  }
}

function packs(): RegistryPack[] {
  const hash = 'a'.repeat(64)
  return Array.from({ length: 5000 }, (_, i) => ({
    library: `library-${i % 1000}`,
    version: `1.${Math.floor(i / 1000)}`,
    title: `Library ${i % 1000}, and a few words on it`,
    license: 'MIT',
    path: `p${i}.ogpack`,
    size: 2_700_000,
    sha256: hash,
    manifest: hash,
    indexedAt: '2026-01-01T00:00:00Z',
    pages: 144,
    chunks: 2442,
    model: 'bge-small-en-v1.5',
    yanked: false,
  }))
}

function median(all: readonly number[]): number {
  return Math.round(all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!)
}

function least(all: readonly number[]): number {
  return Math.round(Math.min(...all))
}

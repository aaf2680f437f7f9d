/**
 * Measures `og memory mcp` of dist/og as an agent's host uses it: from the start of the process to
 * its first answers, and its exit. Reports medians in seconds; the first start does not count.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from './bench-mcp.ts'

type Start = { initialize: number; bootstrap: number; words: number; search: number; exit: number }

export async function benchMemoryServer(og: string, work: string, runs: number) {
  rmSync(work, { recursive: true, force: true })
  const none = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  return {
    entries10000: await starts(og, { work, runs, nEntries: 10_000, settings: none }),
    entries100embedded: await starts(og, { work, runs, nEntries: 100, settings: {} }),
  }
}

type Wish = { work: string; runs: number; nEntries: number; settings: Record<string, string> }

async function starts(og: string, { work, runs, nEntries, settings }: Wish): Promise<Start> {
  const workspace = `of ${nEntries}`
  const folder = join(work, workspace)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'MEMORY.md'), `# Memory\n\n${entries(nEntries).join('\n')}`)
  const command = [og, 'memory', 'mcp', '--root', work, '--workspace', workspace]
  const env = { HOME: work, PATH: process.env.PATH, ...settings }
  const measured: Start[] = []
  for (let i = 0; i <= runs; i++) measured.push(await measureStart(command, env))
  const names = Object.keys(measured[0]!) as (keyof Start)[]
  const middle = (name: keyof Start) =>
    measured
      .slice(1)
      .map((start) => start[name])
      .sort((a, b) => a - b)[Math.floor(runs / 2)]!
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as Start
}

async function measureStart(command: string[], env: Record<string, string | undefined>) {
  const started = performance.now()
  const since = () => (performance.now() - started) / 1000
  const client = connect({ command, env, library: '', version: '' })
  await client.initialize()
  const initialize = since()
  await client.call('memory_bootstrap', {})
  const bootstrap = since()
  const query = 'which release train carries the gauge of pump 77'
  await client.call('memory_read', { query, mode: 'full-text' })
  const words = since()
  await client.call('memory_read', { query })
  const search = since()
  return { initialize, bootstrap, words, search, exit: await client.end() }
}

function entries(n: number): string[] {
  const nouns = ['pump', 'gauge', 'valve', 'release', 'train', 'report', 'invoice', 'meeting']
  return Array.from({ length: n }, (_, i) => {
    const day = new Date(Date.UTC(2020, 0, 1 + (i % 2_000))).toISOString().slice(0, 10)
    const [a, b] = [nouns[i % 8], nouns[(i * 5 + 3) % 8]]
    return `## ${day} 10:00\n\nThe ${a} ${i % 977} was moved to the ${b} of row ${i}.\n`
  })
}

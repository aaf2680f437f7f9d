import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { benchServe } from '../../scripts/bench/bench-serve.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { sharedCache } from '../support/run/environment.ts'

const og = join(import.meta.dir, '../../dist/og')

test('bench serve reports the cost of a search in comparison with another executable', async () => {
  await using temp = await createTempFolder('og-bench-serve-test')
  const [docs, from] = [join(temp.path, 'docs'), join(temp.path, 'from')]
  await Bun.write(join(docs, 'a.md'), '# Passwords\n\nA password is hashed with a salt.\n')
  process.env.OG_CACHE_DIR = sharedCache(process.env)
  const { PATH, OG_CACHE_DIR } = process.env
  const env = { PATH, OG_CACHE_DIR, HOME: temp.path, OG_DB_PATH: from }
  const add = Bun.spawnSync([og, 'add', 'lib', '-s', docs, '-v', '1'], { env })
  expect(add.exitCode).toBe(0)
  const size = { clients: 3, searches: 40, runs: 1 }
  const report = await benchServe({ og, against: og, from, library: 'lib', ...size })
  expect(report).toMatchObject({ library: 'lib', chunks: 1, clients: 3, searches: 40, runs: 1 })
  for (const figures of [report.ours!, report.against!]) {
    expect(figures.searchesASecond).toBeGreaterThan(0)
    expect(figures.processorMs).toBeGreaterThan(0)
    expect(figures.mainThreadMs).toBeLessThanOrEqual(figures.processorMs)
    expect(figures.p50).toBeLessThanOrEqual(figures.p99)
    expect(figures.residentMegabytes).toBeGreaterThan(50)
  }
  const { ours, against, ratios } = report
  expect(ratios!.processor).toBeCloseTo(against!.processorMs / ours!.processorMs)
  const missing = benchServe({ og, against: null, from, library: 'other', ...size })
  await expect(missing).rejects.toThrow('other is not in')
  delete process.env.OG_CACHE_DIR
}, 60_000)

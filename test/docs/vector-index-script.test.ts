/** Runs the script in templates/vector-index with the Python of this machine. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { reindexLibrary } from '../../src/library/reindex/reindex.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { hashEmbedder } from '../support/hash-embedder.ts'
import { writeFiles } from '../support/repository.ts'
import { openTestStore } from '../support/test-store.ts'
import { testWhere } from '../support/where.ts'

const folder = join(import.meta.dir, '../../templates/vector-index')
const script = join(folder, 'build_index.py')
/** LANCE_RAY_PYTHON can name a Python that has the packages. */
const python = process.env.LANCE_RAY_PYTHON ?? 'python3'

function ran(words: string[], home: string): { code: number; stdout: string; stderr: string } {
  const env = {
    ...process.env,
    HOME: home,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONPATH: folder,
    RAY_USAGE_STATS_ENABLED: '0',
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([python, ...words], { env, cwd: home })
  return { code: exitCode, stdout: String(stdout), stderr: String(stderr) }
}

const hasPython = Bun.which(python) !== null
const hasRay = hasPython && Bun.spawnSync([python, '-c', 'import lance_ray']).exitCode === 0

const withPython = testWhere(hasPython ? null : 'there is no python3')
const withRay = testWhere(hasRay ? null : 'python3 has no lance-ray')

withPython('its words and the store it reads', async () => {
  await using temp = await createTempFolder('og-script')
  const help = ran([script, '--help'], temp.path)
  expect(help).toMatchObject({ code: 0, stderr: '' })
  for (const word of ['store', 'library', 'table', '--version', '--kind', '--workers', '--parts']) {
    expect(help.stdout).toContain(word)
  }
  expect(ran([script, 'store', 'zoo', 'out', '--kind', 'HNSW'], temp.path).code).toBe(2)
  const docs = join(temp.path, 'docs')
  writeFiles(docs, { 'a.md': '# A\n\nA walrus.\n' })
  using store = openTestStore(join(temp.path, 'store'), { embedder: hashEmbedder() })
  await store.add('Zoo', docs)
  await store.add('Zoo', docs, { version: '2' })
  const code =
    'import sys, build_index; print(build_index.live_generation(' +
    'open(sys.argv[1]).read(), sys.argv[2], sys.argv[3] or None))'
  const place = (library: string, version: string) =>
    ran(['-c', code, join(store.folder, 'registry.json'), library, version], temp.path)
  const found = place('ZOO', '2').stdout.trim()
  expect(found).toMatch(/^generations\/[\w-]+\/chunks\.lance$/)
  expect(await Bun.file(join(store.folder, found, '..', 'manifest.json')).exists()).toBe(true)
  expect(place('zoo', '')).toMatchObject({ code: 1, stderr: 'zoo: name one by --version: 1, 2\n' })
  expect(place('park', '')).toMatchObject({ code: 1, stderr: 'park: not indexed\n' })
})

withRay(
  'Ray builds what og takes',
  async () => {
    await using temp = await createTempFolder('og-script')
    const docs = join(temp.path, 'docs')
    const text = (i: number) => `# Page ${i}\n\nWord${i % 40} and term${i % 7} of number${i}.\n`
    writeFiles(
      docs,
      Object.fromEntries(Array.from({ length: 1200 }, (_, i) => [`n${i}.md`, text(i)])),
    )
    using store = openTestStore(join(temp.path, 'store'), { embedder: hashEmbedder() })
    await store.add('Zoo', docs)
    const table = join(temp.path, 'built', 'chunks.lance')
    const words = [script, store.folder, 'zoo', table, '--workers', '2', '--parts', '8']
    expect(ran(words, temp.path)).toMatchObject({ code: 0 })
    expect(ran(words, temp.path).stderr).toContain('is there already')
    const request = { library: 'zoo', version: null, table, lockTimeoutMs: 1000 }
    expect((await reindexLibrary(store.opened, request)).recall).toBeGreaterThanOrEqual(0.95)
    expect(await store.search('word3 term3', { mode: 'vector' })).not.toEqual([])
  },
  600_000,
)

/**
 * Measures the API reference of six packages: `npm run eval -- api`. pip, npm, cargo and go fetch
 * the archives from their registries; a package that cannot be fetched is left out.
 *
 * - names: 100 public names of each package, each as a query. Shares for which the first hit shows
 * the signature, and for which one of three hits does.
 * - facts: test/eval/api.jsonl, questions in words about a parameter, default or return type. Share
 *   for which the fact is in the first hit, and in one of three hits.
 * - beside: FastAPI's judged questions by kind, with and without its API reference next to the
 * guides; only guides count as answers.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Question } from '../../src/library/quality/evaluate.ts'
import type { Og } from '../../src/open.ts'
import { sha256 } from '../../src/platform/hash.ts'
import type { Source } from '../../src/store/source.ts'

type Judged = Question & { kind?: string }
type Shares = { asked: number; first: number; three: number; missed: string[] }

/** The key of each library's package. */
const packages = {
  httpx: 'pypi:httpx@0.27.2',
  pydantic: 'pypi:pydantic@2.9.2',
  hono: 'npm:hono@4.6.3',
  zod: 'npm:zod@4.1.12',
  serde_json: 'crates:serde_json@1.0.154',
  cobra: 'go:github.com/spf13/cobra@v1.8.1',
}
const fastapi = 'pypi:fastapi@0.115.0'

export async function measureApi(
  og: Og,
  {
    guides,
    facts,
    work,
  }: { guides: { folder: string; questions: readonly Judged[] }; facts: string; work: string },
): Promise<Record<string, unknown>> {
  const names: Record<string, Shares> = {}
  for (const [library, key] of Object.entries(packages)) {
    const url = fetchArchive(key, work)
    if (url === null) continue
    await add(og, library, { kind: 'archive', url, docsPaths: [], package: key, api: 'only' })
    names[library] = await measureNames(og, library)
  }
  const asked = readFileSync(facts, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const report = {
    names,
    facts: await measureFacts(
      og,
      asked.filter(({ library }) => library in names),
    ),
  }
  const apiArchive = fetchArchive(fastapi, work)
  if (apiArchive === null) return report
  const source = { kind: 'local_path', path: guides.folder, baseUrl: 'eval:/' } as const
  await add(og, 'fastapi', source)
  await add(og, 'fastapi-api', { ...source, apiArchive, package: fastapi })
  return { ...report, beside: await measureBeside(og, guides.questions) }
}

/**
 * Returns the archive of a package in the folder of the evaluation; null if no client can fetch it.
 */
function fetchArchive(key: string, work: string): string | null {
  const [, registry = '', name = '', version = ''] = /^(\w+):(.+)@v?(.+)$/.exec(key) ?? []
  const folder = join(work, 'packages', key.replace(/\W+/g, '-'))
  mkdirSync(folder, { recursive: true })
  const [kept] = readdirSync(folder).filter((file) => /\.(zip|tar\.gz)$/.test(file))
  if (kept !== undefined) return join(folder, kept)
  const run = (...command: string[]) => Bun.spawnSync(command, { cwd: folder, stderr: 'ignore' })
  let found: string | null = null
  if (registry === 'pypi') run('pip', 'download', '-q', '--no-deps', `${name}==${version}`)
  else if (registry === 'npm') run('npm', 'pack', '--silent', `${name}@${version}`)
  else if (registry === 'go') {
    const { stdout } = run('go', 'mod', 'download', '-json', `${name}@v${version}`)
    found = /"Zip": "(.*)"/.exec(stdout.toString())?.[1] ?? null
  } else if (registry === 'crates') {
    const manifest =
      '[package]\nname = "x"\nversion = "0.0.0"\n' + `[dependencies]\n${name} = "=${version}"\n`
    mkdirSync(join(folder, 'src'), { recursive: true })
    writeFileSync(join(folder, 'src', 'lib.rs'), '')
    writeFileSync(join(folder, 'Cargo.toml'), manifest)
    run('cargo', 'vendor', '-q')
    const vendored = join(folder, 'vendor', name)
    if (existsSync(vendored)) run('tar', 'czf', `${name}-${version}.tar.gz`, '-C', vendored, '.')
  }
  const file = found ?? readdirSync(folder).find((it) => /\.(whl|tgz|tar\.gz)$/.test(it))
  if (file === undefined) {
    process.stderr.write(`skipped: ${key} cannot be fetched\n`)
    return null
  }
  const target = join(
    folder,
    basename(file)
      .replace(/\.whl$/, '.zip')
      .replace(/\.tgz$/, '.tar.gz'),
  )
  if (found !== null) writeFileSync(target, readFileSync(found))
  else if (join(folder, file) !== target) renameSync(join(folder, file), target)
  return target
}

/** Indexes a package from its registry; returns whether it could be fetched. */
export async function addPackage(
  og: Og,
  { library, key, work }: { library: string; key: string; work: string },
): Promise<boolean> {
  const url = fetchArchive(key, work)
  if (url !== null) await add(og, library, { kind: 'archive', url, docsPaths: [], package: key })
  return url !== null
}

async function add(og: Og, library: string, source: Source): Promise<void> {
  process.stderr.write(`${library}: indexing\n`)
  await og.add({ library, version: '1', source, lockTimeoutMs: 600_000 })
}

const mostNames = 100

/** Searches for public names, sampled by hash, except the names of modules. */
async function measureNames(og: Og, library: string): Promise<Shares> {
  const { symbols } = await og.api({ library, version: null, prefix: '' })
  const sampled = symbols
    .filter(({ signature }) => signature !== '')
    .sort((a, b) => (sha256(a.qualifiedName) < sha256(b.qualifiedName) ? -1 : 1))
    .slice(0, mostNames)
  return measured(
    og,
    library,
    sampled.map(({ qualifiedName, signature }) => ({
      question: qualifiedName,
      fact: [signature.split('\n')[0]!],
    })),
  )
}

type Fact = { question: string; fact: string[] }

async function measureFacts(og: Og, asked: (Fact & { library: string })[]) {
  const report: Record<string, Shares> = {}
  for (const [library, questions] of Map.groupBy(asked, (it) => it.library)) {
    report[library] = await measured(og, library, questions)
  }
  return report
}

async function measured(og: Og, library: string, asked: readonly Fact[]): Promise<Shares> {
  const places: number[] = []
  const missed: string[] = []
  for (const { question: query, fact } of asked) {
    const { hits } = await og.search({ query, library, version: null, limit: 3 })
    const at = hits.findIndex(({ text }) => fact.some((one) => text.includes(one)))
    places.push(at)
    if (at !== 0) missed.push(`${query}${at < 0 ? '' : ` (hit ${at + 1})`}`)
  }
  const share = (most: number) =>
    Math.round((1000 * places.filter((at) => at >= 0 && at < most).length) / asked.length) / 1000
  return { asked: asked.length, first: share(1), three: share(3), missed }
}

/** Returns nDCG@10 for each kind of question; kinds `q` and `e` are questions in words. */
async function measureBeside(og: Og, questions: readonly Judged[]) {
  const report: Record<string, Record<string, number>> = {}
  for (const [kind, some] of [
    ['all', questions] as const,
    ...Map.groupBy(questions, (it) => it.kind ?? ''),
  ]) {
    report[kind] = { questions: some.length }
    for (const library of ['fastapi', 'fastapi-api']) {
      const asked = { library, version: null, questions: [...some] }
      const { arms } = await og.evaluate(asked)
      report[kind][library] = arms.hybrid!.ndcg10
    }
  }
  return report
}

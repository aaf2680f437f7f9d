import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answers, renderAnswers } from '../../scripts/build/answers.ts'
import { answersDocsPath } from '../../scripts/build/docs.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { commit, writeFiles } from '../support/repository.ts'
import { openHome } from '../support/run-og.ts'
import { serveRelease } from '../support/servers/release.ts'
import { html, openSite, urlset } from '../support/servers/site.ts'
import { withoutChance } from '../support/run/golden.ts'
import { homePaths } from '../support/run/home-paths.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const commands = await loadCommands()

const shown = commands.filter(({ hidden }) => !hidden)

test('docs/reference/exit-codes.md agrees with the tables; if not, run npm run docs', async () => {
  expect(await readFile(answersDocsPath, 'utf8')).toBe(renderAnswers())
  expect(Object.keys(answers).sort()).toEqual(shown.map(({ name }) => name).sort())
  for (const { name, options } of shown) {
    expect([name, answers[name]!.json !== null]).toEqual([name, 'json' in options])
  }
})

const home = disposeAfterAll(openHome())
const site = disposeAfterAll(openSite({ '/sitemap.xml': urlset('/a', '/gone'), '/a': html('A') }))
writeFiles(home.path, {
  'docs/a.md': '# Kettle\n\nIt boils.\n',
  'project/x.md': 'x',
  'packs.yaml': 'libraries: {kettle: {source: docs}}\n',
  'q.jsonl': '{"id":"1","question":"what boils","gold":["a.md"]}\n',
})
commit(`${home.path}/repository`, { 'docs/a.md': '# Pot\n\nIt stews.\n' })
commit(`${home.path}/code`, { 'setup.py': '', 'lid/__init__.py': 'def lift(): ...\n' })

const withoutModel = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
const ofBackend = (name: string) => ({ OG_EMBEDDINGS__EMBEDDING_BACKEND: name })

/** The commands in order, each with its exit code unless it is 0; the page has to explain a 1. */
const runs = `
add kettle -v 1 --base-url https://a.example -s DIR/docs
add kettle -v 2 -s DIR/docs
update kettle -v 1
add kettle -v 2 -s DIR/docs --base-url https://b.example -y
rollback kettle -v 2
watch kettle -v 1: 130
query boils
query stews: 1
query boils -v 1,2 -k 2
query boils -l kettle,zoo: 1
get https://a.example/a.md
list
diff kettle@1 kettle@2
add lid -v main -s file://DIR/code --api only
api lid
remove lid -v main -y
eval DIR/q.jsonl -l kettle: 1
context boils --max-tokens 400
context zebra: 1
doctor
gc --dry-run
upgrade --check: 1
extract-sitemap -l cup -s URL/sitemap.xml
extract-git -l pot -d docs -r file://DIR/repository
embed pot
list-raw-libraries
import-raw
install-mcp --cursor --dry-run
sources
sources trust DIR/project
config path
config set query.top_k 7
config get query.top_k
config show
model list
model use bge-small-en-v1.5
config reset -y
stats show
stats reset -y
version
jobs
memory write AKIAIOSFODNN7EXAMPLE
memory relate Ann likes Tea
memory relations Ann
memory relations Bob: 1
memory search AKIAIOSFODNN7EXAMPLE
memory search zebra: 1
memory read MEMORY.md
memory list
memory bootstrap
memory sync
memory history
memory inbox: 1
memory audit: 1
memory doctor
memory backup
memory list-backups
memory restore -1 --yes
memory compact MEMORY.md short
memory undo
memory export DIR/m.zip
memory import DIR/m.zip --workspace b
copy DIR/.local/share/og/index DIR/copied
pack kettle@1 -o DIR/packs/kettle.ogpack
pack --check DIR/packs/kettle.ogpack
registry key DIR/og.key
registry build DIR/packs --key DIR/og.key
registry add DIR/packs --key DIR/og.key.pub
registry list
registry search kettle
registry search zebra: 1
registry remove packs
ci build -f DIR/packs.yaml -o DIR/packs --shard 1/1000 --key DIR/og.key
init
keys add ann --library * --keys-file DIR/keys.json
keys list --keys-file DIR/keys.json
keys remove ann --keys-file DIR/keys.json
remove kettle -v 2 -y
reembed kettle -v 1
nuke raw_data -y
nuke embeddings -y
nuke all -y
`
  .trim()
  .split('\n')

test('every command exits and prints JSON as the page says', async () => {
  const seen = new Set<string>()
  const golden: Record<string, unknown> = {}
  const job = join(home.path, homePaths.store, 'jobs', 'a')
  mkdirSync(job, { recursive: true })
  mkdirSync(join(home.path, 'packs'))
  await home.run(['__job', `--folder=${job}`, '--library=kettle', '--', 'version'])
  const place = { version: '99.0.0', script: '' }
  using server = await serveRelease(join(home.path, 'release'), place)
  const published = { OG_UPDATE_URL: server.base, OG_UPDATE_KEY: server.publicKey }
  for (const line of runs) {
    const [, typed, exits = '0'] = /^(.*?)(?:: (\d+))?$/.exec(line)!
    const words = typed!.replaceAll('DIR', home.path).replaceAll('URL', site.url).split(' ')
    const name = [words.slice(0, 2).join(' '), words[0]!].find((it) => it in answers)!
    // reembed needs a model, and watch runs until it is aborted.
    const backend = name === 'reembed' ? ofBackend('builtin') : {}
    const env = { ...withoutModel, ...published, ...backend }
    const told = new AbortController()
    const { code, stdout } = await home.run([...words, '--json'], {
      env,
      signal: told.signal,
      onStdout: () => void (name === 'watch' && told.abort()),
    })
    expect([typed, code]).toEqual([typed, Number(exits)])
    const { one, json } = answers[name]!
    if (code === 1) expect([typed, one]).not.toEqual([typed, null])
    golden[typed!] = withoutChance(parsed(stdout), { DIR: home.path, URL: site.url })
    if (code === 0 || stdout !== '[]\n') {
      expect([typed, lackingKeys(json!, JSON.parse(stdout))]).toEqual([typed, []])
    }
    seen.add(name)
  }
  const unseen = shown.filter(({ name }) => answers[name]!.json !== null && !seen.has(name))
  expect(unseen.map(({ name }) => name)).toEqual([])
  expect(golden).toMatchSnapshot()
})

/** Parses the output as one JSON value, or as one value per line. */
function parsed(stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch {
    return stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
}

/**
 * Returns the keys that the page lists but the answer lacks; for a list, compares its first item.
 */
function lackingKeys(json: string, answer: unknown): string[] {
  const isList = json.startsWith('list of ')
  if (!json.includes('{')) return answer === undefined ? ['an answer'] : []
  if (Array.isArray(answer) !== isList) return [isList ? 'a list' : 'an object']
  const one = (isList ? (answer as unknown[])[0] : answer) as Record<string, unknown>
  return /\{(.*?)\}/
    .exec(json)![1]!
    .split(', ')
    .filter((key) => !(key in one))
}

/**
 * Measures the completeness of API references: `npm run eval -- exports [PACKAGE…]`. A package is
 * written as `npm:zod`, `pypi:rich`, `crates:serde`, `go:MODULE` or `maven:GROUP:ARTIFACT`. The
 * client of each registry installs the package in build/eval/exports; then its runtime or compiler
 * lists the public names, without code of og (export-names.ts). Reports the share of these names
 * that the API reference contains.
 */
import { rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ApiCoverage } from '../../../src/api/coverage.ts'
import { parsePageSymbols } from '../../../src/api/page-symbols.ts'
import type { Source } from '../../../src/store/source.ts'
import { chooseForPackage } from '../../../src/source/choice/package-choice.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import { packageKey, parsePackage } from '../../../src/version/package-name.ts'
import { exportedNames } from './export-names.ts'

export type ExportFigures = Record<
  string,
  { exports: number; found: number; share: number; missed: string[] }
>

const packages = [
  ...['@modelcontextprotocol/server', 'ai', 'effect', 'commander', 'drizzle-orm', 'hono'],
  ...['valibot', 'svelte', 'vue', 'playwright-core'],
]
  .map((name) => `npm:${name}`)
  .concat(['attrs', 'fastmcp', 'pydantic', 'httpx', 'click', 'textual'].map((it) => `pypi:${it}`))
  .concat(['serde', 'clap', 'anyhow', 'tracing'].map((name) => `crates:${name}`))
  .concat(['github.com/spf13/cobra', 'github.com/gin-gonic/gin'].map((name) => `go:${name}`))
  .concat(
    ['com.google.code.gson:gson@2.11.0', 'org.slf4j:slf4j-api@2.0.16'].map(
      (name) => `maven:${name}`,
    ),
  )

export async function measureExports(
  work: string,
  selection: readonly string[],
): Promise<ExportFigures> {
  const report: ExportFigures = {}
  for (const name of selection.length > 0 ? selection : packages) {
    const folder = join(work, 'exports', name.replace(/\W+/g, '-'))
    rmSync(folder, { recursive: true, force: true })
    const wanted = parsePackage(name)!
    const { version, names: exported } = exportedNames(wanted, folder)
    const source = await sourceOf(packageKey(wanted), version)
    const { names, missing } = await referenceNames(source, version)
    const known = new Set([...names].flatMap((it) => it.split(/[./:#]+/)))
    const missed = exported.filter((it) => !known.has(it))
    const found = exported.length - missed.length
    const share = Math.round((1000 * found) / Math.max(1, exported.length)) / 1000
    report[`${packageKey(wanted)}@${version}`] = { exports: exported.length, found, share, missed }
    const reasonOf = (it: string) =>
      missing.find((one) => one.name.endsWith(it))?.reason ?? 'unknown to og'
    const reasons = missed.slice(0, 40).map((it) => `${it} (${reasonOf(it)})`)
    process.stderr.write(
      `${packageKey(wanted)}@${version}: ${found}/${exported.length} ${reasons.join(', ')}\n`,
    )
    rmSync(folder, { recursive: true, force: true })
  }
  return report
}

async function sourceOf(url: string, version: string): Promise<Source> {
  const surroundings = { env: process.env, home: homedir(), cwd: process.cwd() }
  const options = { version, surroundings, onlyApi: true }
  return (await chooseForPackage({ kind: 'package', url }, options)).source
}

/** The qualified names and aliases in the API reference of a source, and the missing names. */
export async function referenceNames(
  source: Source,
  version: string,
): Promise<{ names: Set<string> } & Pick<ApiCoverage, 'missing'>> {
  const place = { version, today: new Date() }
  const resolved = await resolveSource({ ...source, api: 'only' }, place)
  const names = new Set<string>()
  const missing: ApiCoverage['missing'] = []
  for await (const event of sourcePages(resolved)) {
    if (event.type === 'skipped') process.stderr.write(`${event.path}: ${event.reason}\n`)
    if (event.type === 'coverage') missing.push(...event.missing)
    if (event.type === 'failed') throw new Error(`${event.url}: ${event.reason}`)
    if (event.type !== 'page') continue
    for (const { qualifiedName, aliases = [] } of parsePageSymbols(event.page.text))
      for (const name of [qualifiedName, ...aliases]) names.add(name)
  }
  return { names, missing }
}

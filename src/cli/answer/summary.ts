import type { UpdateOutcome } from '../../library/add/update.ts'
import type { AddResult, SiteFound } from '../../library/library.ts'
import { renderLeftovers, renderNames } from '../../library/quality/missing-names.ts'
import { renderIncompleteSource } from '../../library/incomplete.ts'
import { plannedCommand, type DryRunPlan } from '../../operation/add/add.ts'
import { formatCount } from '../../platform/text/count.ts'
import { displaySource } from '../../store/source.ts'

export function renderSummary(result: AddResult): string {
  const { library, version, status, diff, skipped, failed, incomplete, missingHost } = result
  const { sites = [], leftovers, names, uncommitted = 0, shared = 0 } = result
  const sharing =
    shared > 0 ? `; ${shared} on long pages reuse the embedding of an earlier chunk` : ''
  const kept = result.kept > 0 ? ` (${formatCount(result.kept, 'page')} as before)` : ''
  const changes = Object.entries(diff).map(([kind, pages]) => `${pages} ${kind}`)
  const rows: [string, string][] = [
    ['pages', `${result.pages} (${changes.join(', ')})`],
    ['chunks', `${result.chunks} (${result.embedded} embedded now${sharing})`],
    ...(sites.length === 0 ? [] : [['site', renderSites(sites)] as [string, string]]),
    ...(!leftovers ? [] : [['leftover', renderLeftovers(leftovers)] as [string, string]]),
    ...(!names ? [] : [['names', renderNames(names)] as [string, string]]),
    ['skipped', `${skipped.length}${reasons(skipped)}`],
    ...ignoredRow(result.ignored),
    ['failed', `${failed.length}${kept}`],
    ...(uncommitted === 0
      ? []
      : [['changes', `${formatCount(uncommitted, 'file')} not committed`] as [string, string]]),
    ['time', `${result.seconds.toFixed(1)} s`],
  ]
  return (
    `${library} ${version}: ${status}\n` +
    rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`).join('') +
    (!incomplete ? '' : `${renderIncompleteSource({ library, incomplete, missingHost })}\n`) +
    failed.map(({ url, reason }) => `Failed: ${url}: ${reason}\n`).join('')
  )
}

const maxReasons = 5
const maxSites = 3

function renderSites(sites: SiteFound[]): string {
  const sorted = sites.toSorted((a, b) => b.pages - a.pages)
  const shown = sorted.slice(0, maxSites).map(({ generator, folder, pages }) => {
    const where = sites.length === 1 ? '' : ` in ${folder === '' ? '/' : folder}`
    return `${generator}${where} (${formatCount(pages, 'page')})`
  })
  return shown.join(', ') + (sites.length > maxSites ? `, ${sites.length - maxSites} more` : '')
}

/** Lists the reasons for skipped files with counts, most frequent first. */
function reasons(skipped: AddResult['skipped']): string {
  const counts = new Map<string, number>()
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  if (sorted.length === 0) return ''
  const shown = sorted.slice(0, maxReasons).map(([reason, count]) => `${count} ${reason}`)
  const more = sorted.length > maxReasons ? '; and other reasons, see --json' : ''
  return ` (${shown.join('; ')}${more})`
}

/** Counts unsupported files by extension, documents first: `12 .pdf, 3 .rtf; 40 .png`. */
function ignoredRow(ignored: Record<string, number> = {}): [string, string][] {
  const sorted = Object.entries(ignored).sort(([, a], [, b]) => b - a)
  if (sorted.length === 0) return []
  const render = (kinds: [string, number][]) =>
    kinds.map(([extension, count]) => `${count} ${extension}`).join(', ')
  const documents = sorted.filter(([extension]) => documentExtensions.has(extension))
  const others = sorted.filter(([extension]) => !documentExtensions.has(extension))
  const shown = others.slice(0, maxReasons)
  const more = others.length > shown.length ? ', and others' : ''
  const parts = [render(documents), render(shown) + more].filter((part) => part !== '')
  return [['ignored', parts.join('; ')]]
}

/** Extensions of unsupported document formats. */
const documentExtensions = new Set(
  (
    '.pdf .doc .odt .rtf .tex .texi .texinfo .textile .wiki .mediawiki .rdoc .ppt .pptx ' +
    '.odp .xls .xlsx .ods .csv .mobi .chm .djvu .dita .xml .typ .topic .djot'
  ).split(' '),
)

export function renderPlan(plan: DryRunPlan): string {
  const { library, version, source, how, rejected, replaced, incomplete, selection } = plan
  const rows: [string, string][] = [
    ['source', how ?? displaySource(source)],
    ...('docsPaths' in source && source.docsPaths?.length
      ? [['paths', source.docsPaths.join(', ')] as [string, string]]
      : []),
    ...rejected.map(({ place, reason }): [string, string] => ['passed', `${place}: ${reason}`]),
    ...(incomplete ? [['lacking', incomplete.reason] as [string, string]] : []),
    ...(replaced === null ? [] : [['replaces', replaced.label] as [string, string]]),
    ...selectionRows(selection),
    ['command', plannedCommand(plan)],
  ]
  return (
    `${library} ${version}: nothing is indexed, this is a dry run\n` +
    rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}\n`).join('')
  )
}

function selectionRows(selection: DryRunPlan['selection']): [string, string][] {
  if (selection === null) return []
  const { chosen, skipped, ignored } = selection
  return [
    ['files', `${chosen.length}`],
    ['skipped', `${skipped.length}${reasons(skipped)}`],
    ...ignoredRow(ignored),
  ]
}

export function renderUpdated(result: AddResult): string {
  const { library, version, status, pages, incomplete } = result
  if (status !== 'unchanged' || incomplete !== null) return renderSummary(result)
  return `${library} ${version}: unchanged (${formatCount(pages, 'page')})\n`
}

export function renderTotal(outcomes: readonly UpdateOutcome[]): string {
  const changed = outcomes.filter(({ result }) => result && result.status !== 'unchanged').length
  const failed = outcomes.filter(({ error }) => error !== null).length
  const unchanged = outcomes.length - changed - failed
  return (
    `${outcomes.length} library versions: ${changed} updated, ${unchanged} unchanged, ` +
    `${failed} failed\n`
  )
}

import type { PackOutcome } from './build-list.ts'

export function markdownSummary(
  outcomes: readonly PackOutcome[],
  what: 'pack' | 'state' = 'pack',
): string {
  const title = what === 'pack' ? 'Pack' : 'State'
  const head = ['Library', 'Version', 'Result', 'Pages', 'Chunks', 'Health', 'Hits', title, 'Time']
  const rows = outcomes.map((it) => summaryRow(it).map(cell))
  const failed = outcomes.filter(({ error }) => error !== null)
  const noted = outcomes.filter(({ notes }) => notes.length > 0)
  const lines = [
    `## ${title}s: ${summaryLine(outcomes)}`,
    '',
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]
  if (failed.length > 0) lines.push('', '### Failed', '', ...failed.map(failureItem))
  if (noted.length > 0) {
    lines.push(
      '',
      '### Not whole',
      '',
      ...noted.flatMap((it) => it.notes.map((note) => `- **${cell(nameOf(it))}**: ${cell(note)}`)),
    )
  }
  return `${lines.join('\n')}\n`
}

/** Formats the totals as `3 published, 1 unchanged, 1 failed`. */
export function summaryLine(outcomes: readonly PackOutcome[]): string {
  return (['published', 'unchanged', 'failed'] as const)
    .map((result) => `${outcomes.filter((it) => it.result === result).length} ${result}`)
    .join(', ')
}

export function summaryRow(it: PackOutcome): string[] {
  const count = (value: number | null, unit = '') => (value === null ? '-' : `${value}${unit}`)
  return [
    it.library,
    it.version ?? it.wishedVersion ?? '-',
    it.result,
    count(it.pages),
    count(it.chunks),
    count(it.health, ' %'),
    count(it.hits, ' %'),
    it.path ?? '-',
    `${it.seconds.toFixed(1)} s`,
  ]
}

export function junitSummary(outcomes: readonly PackOutcome[]): string {
  const failures = outcomes.filter(({ error }) => error !== null).length
  const seconds = outcomes.reduce((sum, it) => sum + it.seconds, 0).toFixed(1)
  const counts =
    `tests="${outcomes.length}" failures="${failures}" errors="0" skipped="0" ` +
    `time="${seconds}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="og ci build" ${counts}>`,
    ...outcomes.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function nameOf({ library, version, wishedVersion }: PackOutcome): string {
  return `${library} ${version ?? wishedVersion ?? ''}`.trim()
}

function failureItem(it: PackOutcome): string {
  const { message, hint } = it.error!
  const kept = it.path === null ? 'nothing is published of it' : `${it.path} stays`
  return (
    `- **${cell(nameOf(it))}**: ${cell(message)}${hint ? ` (${cell(hint)})` : ''}; ` +
    `${cell(kept)}`
  )
}

function cell(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\`*_[\]<>|&#~]/g, '\\$&')
}

function testCase(it: PackOutcome): string {
  const version = it.version ?? it.wishedVersion ?? 'default'
  const named =
    `classname="${xml(it.library)}" name="${xml(version)}" ` + `time="${it.seconds.toFixed(1)}"`
  const said = [it.result, it.path ?? '', ...it.notes].filter((line) => line !== '').join('\n')
  const failure =
    it.error === null
      ? ''
      : `<failure message="${xml(it.error.message)}">${xml(it.error.hint ?? '')}</failure>`
  return `    <testcase ${named}>${failure}<system-out>${xml(said)}</system-out></testcase>`
}

function xml(text: string): string {
  const names: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    '\n': '&#10;',
  }
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '')
    .replace(/[&<>"\n]/g, (character) => names[character]!)
}

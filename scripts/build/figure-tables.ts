import type { benchAdd, benchUpdate } from '../bench/bench-add.ts'
import type { EncoderFigures } from '../bench/bench-encoder.ts'
import type { BenchLine } from '../bench/bench-kernels.ts'
import type { benchServers } from '../bench/bench-mcp.ts'
import type { benchScale } from '../bench/bench-scale.ts'
import type { CommandFigures } from '../bench/bench.ts'
import { addStageTable, queryStageTable } from '../bench/bench-stages.ts'
import { peerTable } from '../bench/peers/bench-peers.ts'
import type { BesideFigures } from '../eval/eval-beside.ts'
import type { DocumentedFigures } from '../eval/reference/eval-documented.ts'
import type { ExportFigures } from '../eval/reference/eval-exports.ts'
import type { Shares } from '../eval/eval-refusal.ts'
import type { Evaluation } from '../../src/library/quality/evaluate.ts'

/** A table of figures: its rows, and the headings of all columns except the first. */
export type FigureTable = { columns: string[]; rows: string[][] }

/** How to make a table from the figures of a result. */
export type FigureSpec = { result: string; make: (figures: any) => FigureTable }

/** Tables, by the NAME in `<!-- figures: NAME -->`. */
export const figureTables: Record<string, FigureSpec> = {
  commands: { result: 'commands', make: commandTable },
  kernels: { result: 'commands', make: ({ kernels }) => kernelTable(kernels) },
  add: { result: 'add', make: addTable },
  update: { result: 'update', make: updateTable },
  'query-stages': { result: 'stages', make: queryStageTable },
  'add-stages': { result: 'stages', make: addStageTable },
  mcp: { result: 'mcp', make: mcpTable },
  peers: { result: 'peers', make: peerTable },
  encoder: { result: 'encoder', make: encoderTable },
  scale: { result: 'scale', make: scaleTable },
  ranking: { result: 'ranking', make: rankingTable },
  beside: { result: 'beside', make: besideTable },
  refusal: { result: 'refusal', make: refusalTable },
  fit: { result: 'fit', make: fitTable },
  exports: { result: 'exports', make: exportTable },
  documented: { result: 'documented', make: documentedTable },
  page: { result: 'page', make: pageTable },
  'memory-recall': { result: 'memory-recall', make: recallTable },
  'memory-commands': { result: 'memory-commands', make: memoryCommandTable },
}

function commandTable({ ours, peer }: CommandFigures): FigureTable {
  const works = {
    index: 'index',
    unchanged: 'index again, unchanged',
    secondVersion: 'second version, one more section on 5 pages',
    query: '`og query`, new process',
    list: '`og list`',
    help: '`og --help`',
  } as const
  const rows = Object.entries(works).map(([key, work]) => {
    const our = ours[key as keyof typeof works]
    const their = peer?.[key as keyof typeof peer]
    const ratio = their ? rounded(their.secondsMedian / our.secondsMedian, 2) : ''
    const cells = [our, their].flatMap((it) =>
      it ? [seconds(it.secondsMedian), megabytes(it.peakMegabytes)] : ['', ''],
    )
    return [work, ...cells, ratio]
  })
  return { columns: ['og', 'peak memory', 'openground', 'peak memory', 'ratio'], rows }
}

function kernelTable(lines: readonly BenchLine[]): FigureTable {
  const sets = ['serial', 'avx2', 'avx512', 'neon'].filter((isa) =>
    lines.some((line) => line.isa === isa),
  )
  const twins = lines.filter(({ isa }) => isa === 'js')
  const rows = twins.map(({ kernel, nRows, rowsPerSecond }) => {
    const ratios = sets.map((isa) => {
      const line = lines.find((it) => it.kernel === kernel && it.nRows === nRows && it.isa === isa)
      return line === undefined ? '' : `${line.ratio.toFixed(1)} ×`
    })
    const millions = `${rounded(rowsPerSecond / 1e6, 2)} M`
    return [kernel, grouped(nRows), millions, ...ratios]
  })
  return { columns: ['rows', 'JavaScript, rows/s', ...sets], rows }
}

type AddFigures = Awaited<ReturnType<typeof benchAdd>>
type AddCase = {
  pages: number
  chunks: number
  moments: Record<string, { seconds: number; cpuSeconds: number } | undefined>
  peakMegabytes: number
}

/** One column for each library and number of threads. */
function addTable(figures: AddFigures): FigureTable {
  const cases = Object.entries(figures).filter(([, it]) => typeof it === 'object') as [
    string,
    AddCase,
  ][]
  const after = (moment: string) =>
    cases.map(([, { moments }]) => rounded(moments[moment]?.seconds, 3))
  return {
    columns: cases.map(([name, { pages, chunks }]) => {
      return `${name} (${grouped(pages)} pages, ${grouped(chunks)} chunks)`
    }),
    rows: [
      ['searchable by full text', ...after('searchable')],
      ['half of the chunks are embedded', ...after('half embedded')],
      ['all chunks are embedded', ...after('end')],
      ['processor time', ...cases.map(([, it]) => rounded(it.moments['end']?.cpuSeconds, 3))],
      ['peak memory', ...cases.map(([, it]) => megabytes(it.peakMegabytes))],
    ],
  }
}

type Timed = { seconds: number; cpuSeconds: number; peakMegabytes: number }

function updateTable(figures: Awaited<ReturnType<typeof benchUpdate>>): FigureTable {
  const row = (work: string, it: Timed) => [
    work,
    seconds(it.seconds),
    seconds(it.cpuSeconds),
    megabytes(it.peakMegabytes),
  ]
  return {
    columns: ['time', 'processor time', 'peak memory'],
    rows: [
      row('`og update`, unchanged', figures.unchanged),
      row('`og update`, one page of 144 changed', figures.onePage),
    ],
  }
}

type McpFigures = Awaited<ReturnType<typeof benchServers>>

function mcpTable({ ours, many, peer }: McpFigures): FigureTable {
  type One = McpFigures['ours']
  const row = (work: string, cell: (of: One) => string, ratio: (of: One) => number) => [
    work,
    cell(ours),
    peer ? cell(peer) : '',
    peer ? rounded(ratio(peer) / ratio(ours), 2) : '',
    cell(many),
  ]
  const warm = ({ warmP50, warmP95 }: One) => `${rounded(warmP50, 3)} / ${rounded(warmP95, 3)} ms`
  const initialize = (it: One) => it.initialize
  const first = (it: One) => it.firstSearch
  const resident = (it: One) => it.afterAll.resident
  return {
    columns: ['og', 'openground', 'ratio', 'og, 100,000 chunks'],
    rows: [
      row('start to answered `initialize`', (it) => seconds(it.initialize), initialize),
      row('start to first search answered', (it) => seconds(it.firstSearch), first),
      row('warm search, p50 / p95', warm, (it) => it.warmP50),
      row('resident memory after all searches', (it) => megabytes(resident(it)), resident),
      row(
        'end of stdin to end of process',
        (it) => seconds(it.exit),
        (it) => it.exit,
      ),
    ],
  }
}

function encoderTable(figures: Record<string, EncoderFigures>): FigureTable {
  const all = Object.values(figures)
  return {
    columns: Object.keys(figures),
    rows: [
      ['tokens/s, two threads', ...all.map((it) => grouped(Math.round(it.tokensPerSecond)))],
      ['ready to embed', ...all.map((it) => `${rounded(it.readyMs, 2)} ms`)],
      ['a query of 20 tokens', ...all.map((it) => `${rounded(it.queryMs, 2)} ms`)],
      ['added memory', ...all.map((it) => megabytes(it.addedMegabytes))],
    ],
  }
}

function scaleTable({ sizes }: Awaited<ReturnType<typeof benchScale>>): FigureTable {
  type Size = (typeof sizes)[number]
  const row = (name: string, cell: (of: Size) => string) => [name, ...sizes.map(cell)]
  const both = ({ p50, p95 }: { p50: number; p95: number }) =>
    `${rounded(p50, 3)}, ${rounded(p95, 3)}`
  return {
    columns: sizes.map(({ size }) => grouped(size)),
    rows: [
      row('build: time, peak memory', ({ build }) =>
        build ? `${seconds(build.seconds)}, ${megabytes(build.peakMegabytes)}` : '',
      ),
      row('size', (it) => megabytes(it.megabytes)),
      row('share of the ten nearest found', (it) => (it.index?.recall ?? 1).toFixed(2)),
      row('`og query`, new process: p50, p95', (it) => `${both(it.cold.seconds)} s`),
      row('warm search, one client: p50, p95', (it) => `${both(it.one.milliseconds)} ms`),
      row('sixteen clients: p50, p95', (it) => `${both(it.sixteen.milliseconds)} ms`),
      row('sixteen clients: searches per second', (it) => rounded(it.sixteen.searchesASecond, 3)),
      row('resident memory afterwards', (it) => megabytes(it.residentMegabytes)),
    ],
  }
}

function rankingTable(figures: Record<string, Evaluation & { chunks: number }>): FigureTable {
  const rows = Object.entries(figures).map(([name, { questions, chunks, arms }]) => {
    const { hybrid, 'full-text': fullText, vector } = arms
    const [low, high] = hybrid!.ndcg10Interval
    const { ndcg10, mrr10, hit1, hit5, hit10, recall10, hit5Served } = hybrid!
    return [
      `${name} (${grouped(questions)}; ${grouped(chunks)})`,
      share(ndcg10),
      `${share(low)}-${share(high)}`,
      ...[fullText!.ndcg10, vector!.ndcg10, mrr10, hit1, hit5, hit10, recall10, hit5Served].map(
        share,
      ),
    ]
  })
  const lanes = ['nDCG@10, hybrid', '95 % interval', 'full text alone', 'vectors alone']
  const others = ['MRR@10', 'Hit@1', 'Hit@5', 'Hit@10', 'Recall@10', 'Hit@5, k = 5']
  return { columns: [...lanes, ...others], rows }
}

function besideTable(figures: Record<string, BesideFigures>): FigureTable {
  const columns = [
    'first hit is of the right library',
    'gold page among five hits',
    'the same, library named',
  ]
  const rows = Object.entries(figures).map(([name, { first, five, alone }]) => [
    name,
    ...[first, five, alone].map(share),
  ])
  return { columns, rows }
}

function refusalTable(figures: Record<string, Shares>): FigureTable {
  const level = ({ answers, right }: { answers: number; right: number }) =>
    answers === 0 ? '' : `${share(right)} of ${answers}`
  const mean = (values: number[]) =>
    percent(values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length))
  const rows = Object.values(figures).flatMap(({ own, foreign }) =>
    Object.entries(own).map(([set, { high, medium, weak, lost }]) => [
      set,
      ...[high, medium, weak].map(level),
      percent(lost),
      mean(Object.values(foreign).map((it) => it.notHigh)),
      mean(Object.values(foreign).map((it) => it.weak)),
    ]),
  )
  const levels = ['right if high', 'right if medium', 'right if weak', 'right called weak']
  return { columns: [...levels, 'others not called high', 'others called weak'], rows }
}

function fitTable(figures: Record<string, { served: number; leftOut: number }>): FigureTable {
  const { means, ...sets } = figures
  const all = Object.entries({ ...sets, mean: means! })
  const row = (name: string, key: 'served' | 'leftOut') => [
    name,
    ...all.map(([, it]) => share(it[key])),
  ]
  return {
    columns: all.map(([name]) => name),
    rows: [row('served', 'served'), row('left out', 'leftOut')],
  }
}

type Spread = { median: number; p95: number }
type PageFigures = { keyStrokeToHits: Record<string, { there: Spread; painted: Spread }> } & Record<
  'search' | 'searchInOpenTab' | 'pageOf200kB' | 'pageOf200kBInOpenTab',
  Record<string, { shown: Spread }>
>

function pageTable(figures: PageFigures): FigureTable {
  const { there, painted } = figures.keyStrokeToHits['now']!
  const both = ({ median, p95 }: Spread) => `${Math.round(median)} / ${Math.round(p95)}`
  const shown = (key: 'search' | 'searchInOpenTab' | 'pageOf200kB' | 'pageOf200kBInOpenTab') =>
    String(Math.round(figures[key]['now']!.shown.median))
  return {
    columns: ['ms'],
    rows: [
      ['key stroke to hits in the page, p50 / p95', both(there)],
      ['key stroke to painted hits, p50 / p95', both(painted)],
      ['search shown, open tab; new tab', `${shown('searchInOpenTab')}; ${shown('search')}`],
      [
        'page of 200 kB shown, open tab; new tab',
        `${shown('pageOf200kBInOpenTab')}; ${shown('pageOf200kB')}`,
      ],
    ],
  }
}

function exportTable(figures: ExportFigures): FigureTable {
  const rows = Object.entries(figures).map(([name, { exports, found, missed }]) => [
    name,
    String(exports),
    `${found} (${tenths(found / Math.max(1, exports))})`,
    missed.slice(0, 5).join(', '),
  ])
  return { columns: ['public names', 'in the API reference (%)', 'missing'], rows }
}

function documentedTable(figures: DocumentedFigures): FigureTable {
  const rows = Object.entries(figures).map(([name, { documented, found }]) => [
    name,
    String(documented),
    `${found} (${tenths(found / documented)})`,
  ])
  return { columns: ['documented names', 'in the API reference (%)'], rows }
}

type Recall = Record<'all' | 'sharingWords' | 'paraphrased', { hit1: number; hit5: number }>

function recallTable(figures: Record<'full-text' | 'vector' | 'hybrid', Recall>): FigureTable {
  const lanes = [figures['full-text'], figures.vector, figures.hybrid]
  const row = (name: string, key: keyof Recall) => [
    name,
    ...lanes.map((of) => `${tenths(of[key].hit5)} (${tenths(of[key].hit1)})`),
  ]
  return {
    columns: ['full text', 'vectors', 'hybrid'],
    rows: [
      row('all: Hit@5 (Hit@1), %', 'all'),
      row('questions that share words', 'sharingWords'),
      row('paraphrased', 'paraphrased'),
    ],
  }
}

type Times = { median: number; least: number; cpu: number }

function memoryCommandTable(
  figures: Record<'bootstrap' | 'write' | 'searchByWords' | 'searchHybrid', Times>,
): FigureTable {
  const row = (name: string, { median, least, cpu }: Times) => [
    name,
    ...[median, least, cpu].map(String),
  ]
  return {
    columns: ['median, ms', 'least, ms', 'processor time, ms'],
    rows: [
      row('`og memory bootstrap`', figures.bootstrap),
      row('`og memory write`', figures.write),
      row('`og memory search`, full text', figures.searchByWords),
      row('`og memory search`, hybrid (loads the model and all embeddings)', figures.searchHybrid),
    ],
  }
}

const seconds = (value: number) => `${rounded(value, 2)} s`
const megabytes = (value: number) => `${grouped(Math.round(value))} MB`
const share = (value: number) => value.toFixed(3)
const percent = (value: number) => String(Math.round(100 * value))
const tenths = (value: number) => rounded(100 * value, 3)

/**
 * Rounds to significant digits, or to an integer if the value is 100 or more; '' if there is no
 * value.
 */
function rounded(value: number | undefined, digits: number): string {
  if (value === undefined) return ''
  return grouped(value >= 100 ? Math.round(value) : Number(value.toPrecision(digits)))
}

function grouped(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 6 })
}

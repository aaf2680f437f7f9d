import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import { isDate } from '../text.ts'
import { OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'

export type Relation = Triple & {
  id: string
  note: string
  date: string | null
  confidence: number
  /** The source of the statement: a memory file, a URL or a name. */
  source: string | null
  /** The first day on which it is true, or null. */
  since: string | null
  /** The first day on which it is false again, or null. */
  until: string | null
  /**
   * True if it was superseded or ended. A past relation is an HTML comment, which upstream skips.
   */
  isPast: boolean
  /** The 1-based line of the triple. */
  line: number
  /** The first line: `line` itself or the comment above it. */
  firstLine: number
}

export type RelationFacts = Omit<Relation, 'id' | 'line' | 'firstLine'>

export function relationDetails(relation: RelationFacts): string[] {
  const { isPast, since, until, date, confidence, source } = relation
  return [
    ...(isPast ? ['past'] : []),
    ...(since !== null ? [`since ${since}`] : date !== null ? [`recorded ${date}`] : []),
    ...(until !== null ? [`until ${until}`] : []),
    ...(confidence < 1 ? [`confidence ${confidence}`] : []),
    ...(source !== null ? [`from ${source}`] : []),
  ]
}

/**
 * Parses the current and past relations of a file in order. Confidence, source and validity have no
 * place in upstream's grammar, so a comment above the relation contains them. Skips all other
 * lines.
 */
export function parseRelations(text: string): Relation[] {
  const relations: Relation[] = []
  let details: { of: string; own: Details } | null = null
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const facts = parseLine(line)
    const past = parseComment(line, 'past')
    if (facts !== null) {
      const id = relationId(facts)
      // The comment contains the relation's id. It is ignored if the relation's line was deleted.
      const own = details?.of === id ? details.own : null
      const firstLine = i + (own === null ? 1 : 0)
      relations.push({ ...facts, ...own, id, line: i + 1, firstLine })
    } else if (past !== null) {
      const facts = { ...noDetails, ...past, isPast: true }
      if (isTriple(facts)) {
        relations.push({ ...facts, id: relationId(facts), line: i + 1, firstLine: i + 1 })
      }
    }
    details = parseDetails(line)
  }
  return relations
}

/**
 * Renders the lines of a relation without a final newline: the comment, if one is needed, and the
 * triple.
 */
export function renderRelation(relation: RelationFacts): string {
  const { subject, predicate, object, note, date, isPast } = relation
  const details = Object.fromEntries(
    (['confidence', 'source', 'since', 'until'] as const)
      .filter((key) => relation[key] !== noDetails[key])
      .map((key) => [key, relation[key]]),
  )
  if (isPast) {
    const more = { ...(date && { date }), ...(note && { note }), ...details }
    return comment('past', { subject, predicate, object, ...more })
  }
  const isPlain = Object.keys(details).length === 0
  const of = relationId(relation)
  const comments = isPlain ? [] : [comment('relation', { of, ...details })]
  const dated = date === null ? '' : ` (${date})`
  const noted = note === '' ? '' : ` - "${note}"`
  return [...comments, `- ${renderTriple(relation)}${dated}${noted}`].join('\n')
}

type Details = Partial<Pick<Relation, 'confidence' | 'source' | 'since' | 'until'>>

const noDetails: Omit<RelationFacts, keyof Triple | 'isPast'> = {
  note: '',
  date: null,
  confidence: 1,
  source: null,
  since: null,
  until: null,
}

/** Upstream's grammar (§5). Upstream skips all other lines too. */
const grammar = new RegExp(
  String.raw`^\s*-\s+\[([^\]]+)\]\s+--([^\s\->][^\->]*)-->\s+\[([^\]]+)\]` +
    String.raw`(?:\s+\((\d{4}-\d\d-\d\d)\))?`,
)

function parseLine(line: string): RelationFacts | null {
  const [whole, subject, predicate, object, date] = grammar.exec(line) ?? []
  const note = whole === undefined ? null : noteIn(line.slice(whole.length))
  if (note === null) return null
  const triple = { subject: subject!.trim(), predicate: predicate!.trim(), object: object!.trim() }
  return { ...noDetails, ...triple, date: date ?? null, note, isPast: false }
}

/** Parses ` - "…"`. Returns '' if there is no note, and null if any other text follows. */
function noteIn(rest: string): string | null {
  if (rest.trim() === '') return ''
  const [start] = /^\s+[-–—]\s+"?/.exec(rest) ?? []
  const said = start === undefined ? null : rest.slice(start.length).trimEnd()
  return said === null || /[\r\u2028\u2029]/.test(said) ? null : said.replace(/"$/, '').trim()
}

/**
 * Returns `<!-- relation {…} -->`. Escapes `>` in the JSON, so that it cannot close the comment.
 */
function comment(kind: 'relation' | 'past', content: object): string {
  return `<!-- ${kind} ${JSON.stringify(content).replaceAll('>', '\\u003e')} -->`
}

function parseComment(
  line: string,
  kind: 'relation' | 'past',
): (Details & Partial<Triple & Pick<Relation, 'note' | 'date'> & { of?: string }>) | null {
  const json = new RegExp(`^\\s*<!-- ${kind} (\\{.*\\}) -->\\s*$`).exec(line)?.[1]
  const content = json === undefined ? undefined : parseJsonOrUndefined(json)
  if (!isRecord(content)) return null
  const texts = ['of', 'subject', 'predicate', 'object', 'note', 'source'].filter(
    (key) => typeof content[key] === 'string',
  )
  const dates = ['date', 'since', 'until'].filter(
    (key) => typeof content[key] === 'string' && isDate(content[key] as string),
  )
  const { confidence } = content
  const isShare = typeof confidence === 'number' && confidence >= 0 && confidence <= 1
  return {
    ...Object.fromEntries([...texts, ...dates].map((key) => [key, content[key]])),
    ...(isShare && { confidence }),
  }
}

function parseDetails(line: string): { of: string; own: Details } | null {
  const { of, ...own } = parseComment(line, 'relation') ?? {}
  return of === undefined ? null : { of, own }
}

type Unsure = Omit<RelationFacts, keyof Triple> & Partial<Triple>

function isTriple(facts: Unsure): facts is RelationFacts {
  return Boolean(facts.subject && facts.predicate && facts.object)
}

export type Triple = { subject: string; predicate: string; object: string }

export function renderTriple({ subject, predicate, object }: Triple): string {
  return `[${subject}] --${predicate}--> [${object}]`
}

/**
 * Returns upstream's id: the first 16 hexadecimal digits of the SHA-256 of the lower-case triple.
 */
export function relationId({ subject, predicate, object }: Triple): string {
  return sha256(`${subject}|${predicate}|${object}`.toLowerCase()).slice(0, 16)
}

/**
 * Trims a triple and replaces hyphens in the predicate with spaces, because the grammar does not
 * allow hyphens.
 * @throws OgError if the grammar cannot represent the triple
 */
export function normalizeTriple(triple: Triple): Triple {
  const subject = namePart('subject', triple.subject)
  const object = namePart('object', triple.object)
  const predicate = triple.predicate.replace(/[\s-]+/g, ' ').trim()
  if (predicate === '') throw new OgError(`'predicate' cannot be empty.`)
  if (predicate.includes('>')) {
    throw new OgError(`'predicate' cannot contain '>': ${JSON.stringify(triple.predicate)}`)
  }
  return { subject, predicate, object }
}

function namePart(what: 'subject' | 'object', text: string): string {
  const name = text.trim()
  if (name === '') throw new OgError(`'${what}' cannot be empty.`)
  const bad = /[\]\n\r]/.exec(name)?.[0]
  if (bad === undefined) return name
  throw new OgError(
    `'${what}' cannot contain ${bad === ']' ? "']'" : 'a line break'}: ${JSON.stringify(text)}`,
  )
}

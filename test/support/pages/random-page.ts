import fc from 'fast-check'

const word = fc.oneof(
  { weight: 12, arbitrary: fc.stringMatching(/^[a-z]{1,9}$/) },
  fc.constantFrom('`useEffect`', '--no-cache', '日本語', 'Überfluß', '👩‍💻', '😀', '𝒳𝒴', 'a\u0301'),
)
const line = fc.array(word, { minLength: 1, maxLength: 14 }).map((words) => words.join(' '))
const lines = fc.array(line, { minLength: 1, maxLength: 6 })

export const paragraph = fc
  .array(line, { minLength: 1, maxLength: 8 })
  .map((sentences) => `Text ${sentences.join('. ')}.`)

export const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), line)
  .map(([level, title]) => `${'#'.repeat(level)} Title ${title}`)

const marker = fc.constantFrom('```', '~~~', '````')

export const fence = fc
  .tuple(marker, fc.array(line, { maxLength: 30 }))
  .map(([marker, code]) => [`${marker}ts`, ...code.map((row) => `  ${row}`), marker].join('\n'))

const leadIn = line.map((text) => `Text ${text}, for example:`)
const table = lines.map((rows) =>
  ['| a | b |', '|---|---|', ...rows.map((row) => `| ${row} | 1 |`)].join('\n'),
)
const list = lines.map((rows) => rows.map((row) => `- ${row}`).join('\n'))
const nested = lines.map((rows) =>
  rows.map((row, depth) => `${'  '.repeat(depth)}- ${row}`).join('\n'),
)
const literal = lines.map((rows) => rows.map((row) => `    ${row}`).join('\n'))
const admonition = paragraph.map((text) => `!!! note\n    ${text}`)
const container = fc
  .tuple(paragraph, fence)
  .map(([text, code]) => `::: tip\n${text}\n\n${code}\n:::`)
const unit = fc.constantFrom('x', 'Zm9v/+', '漢', '😀', 'word ')
const longLine = fc
  .tuple(unit, fc.integer({ min: 1, max: 900 }))
  .map(([unit, times]) => `Text${unit.repeat(times).trimEnd()}`)

/** Blocks of a well-formed Markdown page, which form its text if joined by blank lines. */
export const blocks = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: heading },
    { weight: 5, arbitrary: paragraph },
    fence,
    leadIn,
    table,
    list,
    nested,
    literal,
    admonition,
    container,
    longLine,
  ),
  { minLength: 1, maxLength: 30, size: '+1' },
)

/** Blocks that do not depend on the block before; two in three are not headings. */
export const plainBlocks = fc.array(fc.oneof(heading, paragraph, fence), {
  minLength: 1,
  maxLength: 30,
  size: '+1',
})

const debris = fc.constantFrom(
  '```',
  '~~~ x',
  '<!--',
  '<table>',
  ':::',
  '::: a',
  '/// b',
  '!!! c',
  '---',
  '===',
  '=== ===',
  '.. note::',
  '.. _label:',
  '(label)=',
  '   ',
  '\t',
  '\u00a0',
  '\u3000',
  '+--+--+',
  '| a',
  '1. x',
  '- ',
  '#',
  '\ud83d',
  'Title',
  '=====',
  '::',
  ':orphan:',
)
const noise = fc.string({ unit: 'binary' })
const gap = fc.constantFrom('\n', '\n\n', '\n\n\n\n', ' ', '\n \n')

/** Arbitrary text: well-formed blocks and parts of others, in any order and with any separators. */
export const anyText = fc
  .array(
    fc.tuple(fc.oneof(heading, paragraph, fence, list, longLine, debris, debris, noise), gap),
    { maxLength: 25, size: '+1' },
  )
  .map((parts) =>
    parts
      .map(([text, space]) => text + space)
      .join('')
      .replaceAll('\r', ''),
  )

import ts from 'typescript'
import { nodes, type Finding, type SourceFile } from './source-file.ts'

/** A sentence of a file, and the line on which its comment, test name or paragraph begins. */
type Sentence = { path: string; line: number; text: string }

/**
 * Patterns of sentences that have to be read twice, each with the rule in CONTRIBUTING that it
 * breaks.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/^(?:(?:And|But) )?(?:What|Who)(?:ever)? (?!'s)[^?]*$/, 'rule 1: name the thing'],
  [
    /(?<![Kk]now )(?<!See )\b(?:what|who) (?:is|are|was|were|has|have|had|it|they|one|an?|the)\b/,
    'rule 1: name the thing',
  ],
  [
    /\b(?:what|who) (?:can|may|must|comes?|goes|stands?|asks?|follows?|holds?|reads?|writes?)\b/,
    'rule 1: name the thing',
  ],
  [/\b(?:that (?:which|of)|those (?:that|of|which)|of (?:which|whom))\b/, 'rule 1: name the thing'],
  [/^(?:(?:And|But) )?Of (?!course\b)/, 'rule 2: begin with the subject'],
  [
    /\b(?:but for|nor (?:is|are|do|does|has|of|those)|at hand|as far as|so many|all the same)\b/,
    'rule 4: use plain words',
  ],
  [
    /(?:^|[,;:] )[Ww]here (?:it|there|they|none|one|no|nobody|nothing|that|this|an?|the) /,
    'rule 3: write "if"',
  ],
  [
    /\b(?:stands?|stood) (?:above|below|there|in|at|nowhere|alone|beside|first|already|twice|as)\b/,
    'rule 4: write "is"',
  ],
  [
    /\b(?:since then|until now|a (?:second|third) time|no longer|at that time|once more)\b/i,
    'rule 5: describe the current state',
  ],
  [/^(?:Nobody|Nothing|None|No one)\b/, 'rule 6: state the positive'],
]

/** Reports such sentences if there are more than `most` in 1,000. */
export function proseFindings(sentences: readonly Sentence[], most: number): Finding[] {
  const faults = sentences.flatMap(({ path, line, text }) => {
    const rule = patterns.find(([pattern]) => pattern.test(text))?.[1]
    return rule === undefined ? [] : [`${path}:${line}: "${text}"; CONTRIBUTING, Writing, ${rule}`]
  })
  const allowed = Math.floor((sentences.length * most) / 1000)
  if (faults.length <= allowed) return []
  const count = `${faults.length} of ${sentences.length} sentences are hard to read`
  return [`${count}, at most ${allowed}; rewrite some of these`, ...faults]
}

export function commentSentences(file: SourceFile): Sentence[] {
  const { path, text, tree } = file
  return commentsOf(file).flatMap(({ pos, end }) => {
    const line = tree.getLineAndCharacterOfPosition(pos).line + 1
    const plain = text.slice(pos, end).replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, ' ')
    return sentencesOf(plain.replace(/@\w+/g, '')).map((it) => ({ path, line, text: it }))
  })
}

/** Returns the comments of a file; successive lines with `//` are one. */
function commentsOf({ text, tree }: SourceFile): { pos: number; end: number }[] {
  const byStart = new Map<number, { pos: number; end: number }>()
  for (const node of nodes(tree)) {
    for (const at of [node.getFullStart(), node.end]) {
      const ranges = [
        ...(ts.getLeadingCommentRanges(text, at) ?? []),
        ...(ts.getTrailingCommentRanges(text, at) ?? []),
      ]
      for (const { pos, end } of ranges) byStart.set(pos, { pos, end })
    }
  }
  const comments: { pos: number; end: number }[] = []
  for (const one of [...byStart.values()].sort((a, b) => a.pos - b.pos)) {
    const last = comments.at(-1)
    if (last && text.startsWith('//', one.pos) && /^\s*$/.test(text.slice(last.end, one.pos))) {
      last.end = one.end
    } else comments.push(one)
  }
  return comments
}

export function testNameSentences({ path, tree }: SourceFile): Sentence[] {
  return nodes(tree).flatMap((node) => {
    if (!ts.isCallExpression(node) || !/^(?:test|describe)/.test(node.getText(tree))) return []
    const [name] = node.arguments
    if (!name || !(ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) return []
    const line = tree.getLineAndCharacterOfPosition(name.getStart(tree)).line + 1
    return [{ path, line, text: name.getText(tree).slice(1, -1) }]
  })
}

/** Returns the sentences of the paragraphs and lists of a Markdown document. */
export function documentSentences({ path, text }: { path: string; text: string }): Sentence[] {
  const plain = text.replace(/^```.*?^```/gms, (block) => '\n'.repeat(block.split('\n').length))
  let line = 1
  return plain.split(/\n(?=\s*\n|\s*[-*] |\s*\d+\. )/).flatMap((paragraph) => {
    const start = line + (/^\s*/.exec(paragraph)![0].split('\n').length - 1)
    line += paragraph.split('\n').length
    if (/^\s*[|#<]/.test(paragraph)) return []
    const sentences = sentencesOf(paragraph.replace(/^\s*(?:[-*]|\d+\.) /, ''))
    return sentences.map((it) => ({ path, line: start, text: it }))
  })
}

/** Splits a text into sentences of at least four words, with code replaced by `CODE`. */
function sentencesOf(text: string): string[] {
  const plain = text.replace(/`[^`]*`/g, 'CODE').replace(/\s+/g, ' ')
  return plain
    .split(/(?<=[.!?;:]) (?=[A-Z("'])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(' ').length >= 4)
}

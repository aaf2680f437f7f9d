import type { Finding } from './audit.ts'
import { linesWithEnds } from '../text.ts'

/**
 * Patterns of keys and passwords. The secret is the group of a match, or the whole match.
 * Repetitions are bounded, to keep the search fast on long lines.
 */
const kinds: readonly { name: string; pattern: RegExp }[] = [
  { name: 'a private key', pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/g },
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { name: 'a GitHub token', pattern: /\b(?:gh[pousr]_\w{36,}|github_pat_\w{60,})/g },
  { name: 'a Slack token', pattern: /\bxox[abprs]-[\w-]{10,}/g },
  { name: 'an API key', pattern: /\bsk-[\w-]{20,}/g },
  { name: 'a Google API key', pattern: /\bAIza[\w-]{35}/g },
  { name: 'a web token', pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}\.[\w-]{8,}/g },
  {
    name: 'a password',
    pattern: new RegExp(
      String.raw`\b(?:pass(?:word|wd|phrase)|pwd|secret|api[_ -]?key|access[_ -]?token)\b` +
        String.raw`\s*(?:is|=|:)\s*["'\`]?(?=\S{0,200}?[\d$%&@#*+=/\\^~_-])([^\s"'\`,;]{8,})`,
      'gi',
    ),
  },
  {
    name: 'a password in an address',
    pattern: /\b[a-z][\w+.-]{0,30}:\/\/[^\s/:@]{1,200}:([^\s/@]{3,200})@/g,
  },
]

const removedMark = '[removed]'

/** Finds lines that seem to contain a secret. The fix removes the secret and keeps the line. */
export function secretsIn(file: string, text: string): Finding[] {
  return linesWithEnds(text).flatMap((line, i) => {
    const matches = kinds.filter(({ pattern }) => line.search(pattern) !== -1)
    if (matches.length === 0) return []
    const number = i + 1
    const names = matches.map(({ name }) => name).join(' and ')
    const fix = {
      file,
      start_line: number,
      end_line: number,
      expect: line,
      content: maskLine(line),
    }
    return [
      {
        kind: 'secret' as const,
        file,
        start_line: number,
        end_line: number,
        entry_id: null,
        message: `holds what looks like ${names}; the journal and backups keep it until they go`,
        fix,
      },
    ]
  })
}

function maskLine(line: string): string {
  return kinds.reduce(
    (text, { pattern }) =>
      text.replace(pattern, (whole, group?: unknown) =>
        typeof group === 'string' ? withoutLast(whole, group) : removedMark,
      ),
    line,
  )
}

/** The secret is the last occurrence; an equal text before it is the user name. */
function withoutLast(whole: string, secret: string): string {
  const at = whole.lastIndexOf(secret)
  return whole.slice(0, at) + removedMark + whole.slice(at + secret.length)
}

import { linesWithEnds } from '../text.ts'
import type { Finding } from './audit.ts'

/**
 * A kind of secret. The secret is the first capture group, or the whole match if there is no group.
 * `isSecret` can reject a match. Repetitions are bounded so that long lines stay fast.
 */
type Kind = { name: string; pattern: RegExp; isSecret?: (secret: string) => boolean }

/**
 * Prefixes of keys and tokens, from the rules of gitleaks (22 July 2026) and the documentation of
 * the issuers. The prefixes in the second list also occur in ordinary identifiers.
 */
const distinctPrefixes =
  'sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or- github_pat_ gh[pousr]_ gl(?:pat|ptt|dt)- ' +
  'gl(?:ft|ffct|imt|agent|oas|rt|soat|cbt)- GR1348941 gl(?:c|sa)_ eyJrIjoi hv[bs]\\. ' +
  'do[opr]_v1_ dp\\.(?:pt|st|ct|sa|scim|audit)\\. duffel_(?:test|live)_ dt0[cs]\\d\\d\\. ' +
  'FLWSECK_TEST- fo1_ fm[12][ar]?_ fio-u- HRKU-AA s-s4t2(?:ud|af)- p8e- dapi(?=[a-f\\d]{32}) ' +
  'xox[abeoprs]- xoxe\\.xox[bp]- xapp-\\d- PMAK- pul-(?=[a-f\\d]{40}) pypi-AgE rubygems_ ' +
  'tk-us- SG\\. xkeysib- sntry[su]_ sm_(?:aat|pat|sat)_ shippo_(?:live|test)_ ' +
  'shp(?:at|ca|pa|ss)_ sgp_ sq0[ac]t?s?p- EAAA pscale_(?:tkn|oauth|pw)_ AGE-SECRET-KEY-1 ' +
  'ops_eyJ sha256~ lin_api_ ntn_ pnu_ rdme_ whsec_ vc[kprai]_ tskey-(?:auth|api|client)- ' +
  'A3-(?=[A-Z\\d]{6}-) ATATT3 secret_(?=\\w{43}) bedrock-api-key- ico-(?=\\w{32})'
const wordPrefixes =
  '[sr]k_(?:live|test|prod)_ npm_ hf_ api_org_ pplx- gsk_ xai- CLOJARS_ re_ r8_ key- sk- ' +
  'AKCp cmVmd ABSK LTAI EZ[AT]K EAA[MC] API- 4b1d'
const alternatives = (prefixes: string) => prefixes.split(' ').join('|')

/**
 * Names of secret values. A word such as `public` before `key` means that the value is not secret.
 */
const secretName =
  '(?:(?:(?<!next[ _-]?|page[ _-]?|of )tokens?|secrets?|credentials?|auth|(?:(?<!' +
  '(?:public|primary|foreign|sort|partition|cache|row|idempotency|redis|map|object|group)' +
  '[ _-]?)key))(?:[_-]?(?:id|value|base))?|pass(?:word|wd|phrase|code)|pwd)'

const kinds: readonly Kind[] = [
  { name: 'a private key', pattern: /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/g },
  { name: 'an AWS access key', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\b/g },
  { name: 'a Google API key', pattern: /\bAIza[\w-]{35}/g },
  { name: 'a Twilio key', pattern: /\bSK[0-9a-f]{32}\b/g },
  { name: 'a web token', pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,4000}\.[\w-]{8,}/g },
  { name: 'a web token', pattern: /\bey[A-Za-z0-9]{17,4000}\.ey[\w/-]{17,4000}\.[\w/-]{10,}/g },
  {
    name: 'a key or token',
    pattern: new RegExp(`\\b(?:${alternatives(distinctPrefixes)})[\\w.+/=~-]{10,4000}`, 'g'),
    isSecret: (secret) => new Set(secret).size >= 6 && !/\.\.|xxxx/i.test(secret),
  },
  {
    name: 'a key or token',
    pattern: new RegExp(`\\b(?:${alternatives(wordPrefixes)})[A-Za-z0-9]{20,400}(?![\\w-])`, 'g'),
    isSecret: (secret) => new Set(secret).size >= 10,
  },
  {
    name: 'a webhook',
    pattern: new RegExp(
      String.raw`\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/+]{40,60}` +
        String.raw`|\.webhook\.office\.com\/webhookb2\/[\w@/-]{80,200}`,
      'g',
    ),
  },
  {
    name: 'a login',
    pattern: /\bauthorization["'`]?\s{0,3}[:=]\s{0,3}["'`]?basic\s{1,3}([\w+/-]{8,2000})/gi,
    isSecret: (secret) => Buffer.from(secret, 'base64').includes(':'),
  },
  {
    name: 'a login',
    pattern: /\b(?:bearer|authorization["'`]?\s?[:=]\s?["'`]?token)\s{1,3}([\w.+/=~-]{16,4000})/gi,
    isSecret: isRandom,
  },
  {
    name: 'a login',
    pattern: /\bcurl\s(?:.{0,300}?\s)?(?:-u|--user)[ =]["']?[^\s:"']{1,100}:([^\s"']{4,200})/g,
    isSecret: (secret) => !isPlaceholder(secret),
  },
  {
    name: 'a password',
    pattern: new RegExp(
      '(?:pass(?:word|wd|phrase)|(?:\\b|_)(?:pwd|secret|api[_ -]?key|access[_ -]?token))\\b' +
        String.raw`\s{0,3}(?:is|=|:)\s{0,3}["'\`]?(?=\S{0,200}?[\d$%&@#*+=/\\^~_-])` +
        '([^\\s"\'`,;]{8,})',
      'gi',
    ),
    isSecret: (secret) => !isPlaceholder(secret),
  },
  {
    name: 'a password or token',
    // A value after a name, as in `API_TOKEN=…`, `"clientSecret": "…"` and `--token …`.
    pattern: new RegExp(
      `(?:--[\\w-]{0,40}${secretName}[ =]|${secretName}\\w{0,20}["'\`)]{0,2}\\s{0,3}` +
        String.raw`(?:=>|:=|=|:|\bis\b)\s{0,3})["'\`]?([\w+/=~.@!%^&*-]{16,4000})`,
      'gi',
    ),
    isSecret: isRandom,
  },
  {
    name: 'a password in an address',
    pattern: /\b[a-z][\w+.-]{0,30}:\/\/[^\s/:@]{1,200}:([^\s/@]{3,200})@/g,
    isSecret: (secret) => !isPlaceholder(secret),
  },
]

/** True for an example value, or for code that reads the value from another source. */
function isPlaceholder(value: string): boolean {
  const isWord = /^(?:pass(?:word|wd)?|secret|\*+|\.+)$/i.test(value)
  return isWord || /^[<{$%[]|^secrets\.|\byour[_-]|change[_-]?me|\benv\b/i.test(value)
}

/**
 * True if a value looks generated: it consists of hexadecimal digits, or its letters and digits
 * alternate randomly. Words, dates and versions have long runs of letters or of digits.
 */
function isRandom(value: string): boolean {
  if (isPlaceholder(value)) return false
  // A URL, or a file name.
  if (/^https?:|\.[a-z]{2,4}\b/.test(value)) return false
  const plain = value.replace(/[^A-Za-z0-9]/g, '')
  if (plain.length < 16 || !/\d/.test(plain) || !/[a-z]/i.test(plain)) return false
  if (/^(?:[a-f\d]+|[A-F\d]+)$/.test(plain)) return true
  const kindOf = (at: number) => (/\d/.test(plain[at]!) ? 0 : /[a-z]/.test(plain[at]!) ? 1 : 2)
  let changes = 0
  for (let at = 1; at < plain.length; at++) if (kindOf(at) !== kindOf(at - 1)) changes++
  return changes / (plain.length - 1) >= leastChanges && new Set(plain).size >= 8
}

/**
 * Minimum share of adjacent characters that differ in kind (letter or digit). It is about 0.4 in
 * random lower-case strings with digits, and 0.1 in names with a year.
 */
const leastChanges = 0.22

const removedMark = '[removed]'

/** Finds lines that seem to contain a secret. The fix replaces the secret with `[removed]`. */
export function findSecrets(file: string, text: string): Finding[] {
  return linesWithEnds(text).flatMap((line, i) => {
    const { masked, names } = maskLine(line)
    if (names.length === 0) return []
    const at = { file, start_line: i + 1, end_line: i + 1 }
    const what = [...new Set(names)].join(' and ')
    return [
      {
        kind: 'secret' as const,
        ...at,
        entry_id: null,
        message: `seems to contain ${what}; the journal and backups keep it until they expire`,
        fix: { ...at, expect: line, content: masked },
      },
    ]
  })
}

export function hasSecret(text: string): boolean {
  return findSecrets('', text).length > 0
}

function maskLine(line: string): { masked: string; names: string[] } {
  const names: string[] = []
  const masked = kinds.reduce(
    (text, { name, pattern, isSecret = () => true }) =>
      text.replace(pattern, (whole: string, group?: unknown) => {
        const secret = typeof group === 'string' ? group : whole
        if (secret.includes(removedMark) || !isSecret(secret)) return whole
        names.push(name)
        return withoutLast(whole, secret)
      }),
    line,
  )
  return { masked, names }
}

/** Replaces the last occurrence of the secret, because an earlier one can be the user name. */
function withoutLast(whole: string, secret: string): string {
  const at = whole.lastIndexOf(secret)
  return whole.slice(0, at) + removedMark + whole.slice(at + secret.length)
}

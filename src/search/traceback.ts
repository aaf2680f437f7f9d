/**
 * Reduces a pasted traceback to its error message. The stack frames name files and lines of other
 * projects. In Python, the message is at the end. In other languages, it is at the start and its
 * cause at the end. Returns any other text unchanged.
 */
export function removeStackFrames(text: string): string {
  const lines = text.split(/\r?\n/)
  const isFrame = lines.map((line) => frames.test(line))
  if (isFrame.filter(Boolean).length < fewestFrames) return text
  if (lines.some((line) => line.includes('Traceback (most recent call last)'))) {
    const lastFrame = isFrame.lastIndexOf(true)
    const last = lines.findIndex((line, i) => i > lastFrame && /^\S/.test(line))
    return last < 0 ? text : lines.slice(last).join('\n').trim()
  }
  const message = lines.filter((line, i) => !isFrame[i] && line.trim() !== '')
  const cause = message.findLastIndex((line) => /^\s*Caused by\b/.test(line))
  return message.slice(Math.max(0, cause)).slice(0, mostMessage).join('\n') || text
}

const fewestFrames = 2
const mostMessage = 8

/** Matches frames of Python, JavaScript, Java, C#, Go, Rust and Ruby, and markers below code. */
const frames = new RegExp(
  [
    String.raw`^\s*File "[^"]*", line \d+`,
    String.raw`^\s+at \S.*(?:\)|:\d+)$`,
    String.raw`^\s*\.\.\. \d+ more\b`,
    String.raw`^\s*\d+: \S+::\S`,
    String.raw`^goroutine \d+ \[`,
    String.raw`^\s+\S+\.\w+:\d+(?::\d+)?(?: \+0x[\da-f]+)?$`,
    String.raw`^\s+from \S+:\d+:in `,
    String.raw`^\s*[~^]+\s*$`,
  ].join('|'),
)

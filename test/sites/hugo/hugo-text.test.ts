import { expect, test } from 'bun:test'
import { frontFacts } from '../../../src/sites/hugo/hugo.ts'
import { hugoToMarkdown } from '../../../src/sites/hugo/hugo-text.ts'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'
import { checkGrowth } from '../../support/pages/check-growth.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Checks the stored text without blank lines and box marks. */
function check(source: string, expected: string): void {
  const site = {
    variables: new Map([
      ['version', 'v1.30'],
      ['a.b', 'deep'],
    ]),
  }
  const lines = toPlainMarkdown(hugoToMarkdown(source, site))
    .split('\n')
    .map((line) => line.trimEnd())
  expect(lines.filter((line) => line !== '').join('\n')).toBe(expected)
}

test('keeps the titles of unknown blocks', () => {
  check('{{< code-tab "Java" >}}\nx\n{{< /code-tab >}}', 'Java:\nx')
  check('{{< other heading="Read me" >}}\nx\n{{< /other >}}', '**Read me**\nx')
  check('{{< other note="Mind the lid" class="a b" >}}\nx\n{{< /other >}}', 'Mind the lid\nx')
  check('Press {{< button href="/x" >}}Go{{< /button >}}.', 'Press [Go](/x).')
  check('{{< other "col-2" >}}\nx\n{{< /other >}}', 'x')
})

test('shows notes and collapsed parts with their titles', () => {
  check('{{< note >}}\nMind.\n{{< /note >}}\nafter', '**Note**\nMind.\nafter')
  check('{{< note >}}Mind.{{< /note >}} after', '**Note**\nMind.\n after')
  check('{{< alert title="Stop" color="warning" >}}\nx\n{{< /alert >}}', '**Stop**\nx')
  check('{{% notice tip "Do" %}}\nx\n{{% /notice %}}', '**Do**\nx')
  check('{{< hint danger >}}\nx\n{{< /hint >}}', '**Danger**\nx')
  check('{{< details "More" >}}\nx\n{{< /details >}}', '**More**\nx')
  check('- a\n  {{< tip >}}\n  x\n  {{< /tip >}}', '- a\n  **Tip**\n  x')
  check('| {{<note>}}x{{</note>}} |', '| **Note**: x |')
})

test('labels tabs, and keeps their code as code', () => {
  check(
    '{{< tabs name="t" >}}\n{{% tab name="A" %}}\nx\n{{% /tab %}}\n{{< tab header="B" lang="go" >}}\ny := 1\n{{< /tab >}}\n{{< /tabs >}}',
    'A:\nx\n**B:**\n```go\ny := 1\n```',
  )
})

test('converts shortcodes that contain code to fences', () => {
  check(
    '{{< highlight go "linenos=table" >}}\nx {{</* y */>}}\n{{< /highlight >}}',
    '```go\nx {{< y >}}\n```',
  )
  check('{{< code-toggle file=hugo >}}\n[a]\n{{< /code-toggle >}}', 'hugo\n```toml\n[a]\n```')
  check('Use {{< hl >}}x{{< /hl >}} and {{<code>}}[{<T />}]{{</code>}}.', 'Use x and [{<T />}].')
})

test('replaces references and parameters with their values', () => {
  check('[a]({{< relref "/x/y#z" >}}) {{< ref b >}}', '[a](/x/y#z) b')
  check(
    '{{< param "version" >}} {{< param a.b >}} {{< param "none" >}}|',
    'v1.30 deep {{< param "none" >}}|',
  )
  check(
    '{{< glossary_tooltip text="pods" term_id="pod" >}} {{< glossary_tooltip term_id="kube-proxy" >}}',
    'pods kube-proxy',
  )
  check('## {{% heading "options" %}}', '## Options')
  check('{{< feature-state for_k8s_version="v1.2" state="beta" >}}', '**Feature state:** v1.2 beta')
})

test('shows the text of pictures, cards and unknown shortcodes', () => {
  check('{{< figure src="a b.png" alt="A" caption="C" >}}', '![A](a%20b.png) C')
  check('{{< card link="/x" title="T" subtitle="S" >}}{{< icon "x" >}}', '[T](/x): S')
  check('{{< mine label="L" >}} {{< other >}}in{{< /other >}}', 'L in')
  check(
    'a {{< set x="1" >}} {{< other b >}}\n{{< /other >}}c',
    'a {{< set x="1" >}} {{< other b >}}c',
  )
  check('a {{< comment >}}hidden {{< note >}}{{< /comment >}} b', 'a  b')
})

test('takes linear time for hostile shortcodes', () => {
  const started = usedCpuMs()
  const site = { variables: new Map<string, string>() }
  for (const piece of [
    '{{< a ',
    '{{< note >}}\n',
    '{{< a "',
    '{{</* ',
    '{{< multitabs >}}\n',
    '{{< /a >}}',
    '{{< a >}}{{< /a >}}\n',
  ])
    hugoToMarkdown(piece.repeat(10_000), site)
  expect(usedCpuMs() - started).toBeLessThan(3000)
})

test('needs linear time for many shortcodes', () =>
  checkGrowth(
    (length) => '{{< note >}}a{{< /note >}}'.repeat(length / 26),
    (text) => hugoToMarkdown(text, { variables: new Map() }),
    { length: 2_000_000 },
  ))

test('names the language of a configuration that readers can convert', () => {
  const toggle = (code: string) => `{{< code-toggle >}}\n${code}\n{{< /code-toggle >}}`
  check(toggle('# x\n[a]'), '```toml\n# x\n[a]\n```')
  check(toggle("a = 'b'"), "```toml\na = 'b'\n```")
  check(toggle('a: b = c'), '```yaml\na: b = c\n```')
  check(toggle('{"a": 1}'), '```json\n{"a": 1}\n```')
})

test('shows the syntax and other facts that the front matter of a reference page contains', () => {
  const front = new Map([
    ['syntax_fmt', 'SET key\u00a0value'],
    ['since', '1.0'],
    ['complexity', 'O(1)'],
  ])
  expect(frontFacts(front)).toBe(
    'Syntax:\n\n```\nSET key value\n```\n\n- Available since: 1.0\n- Time complexity: O(1)\n\n',
  )
  const nested = new Map([
    ['params.f.signatures', 'F A\nF B'],
    ['params.f.returntype', 'bool'],
    ['params.f.aliases', 'g\nh'],
  ])
  expect(frontFacts(nested)).toBe(
    'Syntax:\n\n```\nF A\nF B\n```\n\n- Returns: bool\n- Aliases: g, h\n\n',
  )
  expect(frontFacts(new Map([['since', '1.0']]))).toBe('')
})

import type { Command } from 'commander'
import { rotateWebhookSecret, setWebhook } from '@/lib/webhooks/configure'
import { pingWebhook } from '@/lib/webhooks/ping'
import { runFor } from '../command'

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('where order events of a business are posted, and how they are signed')
  webhook
    .command('set')
    .description('events recorded from now on are posted there; the first signing secret is made and shown once')
    .requiredOption('--business <slug>')
    .requiredOption('--url <url>', 'an https address; "none" removes it')
    .option('--send-older', 'also send the unconfirmed events that were recorded while there was no address')
    .action((_, command: Command) =>
      runFor(command, async (context, { url, sendOlder }) => {
        const { secret, olderWaiting, ...set } = await setWebhook(context, { url: url === 'none' ? null : String(url), sendOlder: sendOlder === true })
        return { ...set, ...(secret ? { secret } : {}), older_waiting: olderWaiting }
      }),
    )
  webhook
    .command('rotate-secret')
    .description('makes a new signing secret, shown once; the previous one signs the webhook-signature header too for 24 hours')
    .requiredOption('--business <slug>')
    .action((_, command: Command) => runFor(command, rotateWebhookSecret))
  webhook
    .command('ping')
    .description('sends integration.ping, once; exit code 1 when it was not answered 2xx')
    .requiredOption('--business <slug>')
    .action((_, command: Command) =>
      runFor(command, async (context) => {
        const { ok, ...outcome } = await pingWebhook(context)
        if (!ok) process.exitCode = 1
        return outcome
      }),
    )
}

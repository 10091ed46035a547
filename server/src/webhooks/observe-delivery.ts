import type { Observer, Work } from '../base/observer.ts'
import type { CallbackSender } from '../egress/callback-sender.ts'

const attempt: Work<number> = {
  kind: 'delivery',
  name: 'webhook',
  outcomeOf: status => `${Math.floor(status / 100)}xx`,
}

/** The same sender, with its attempts observed. */
export function observeDelivery(send: CallbackSender, observer: Observer | undefined): CallbackSender {
  return observer ? callback => observer.run(attempt, () => send(callback)) : send
}

import type { JsonValue } from '../../base/json/json.ts'
import type { Run } from '../run.ts'
import { toText } from '../text.ts'
import { type FilterFamily, unsuitable } from './filter.ts'
import { parseMoment } from './moment.ts'
import { strftime } from './strftime.ts'

/** Liquid's default format. */
const defaultFormat = '%A, %B %-e, %Y at %-l:%M %P %z'

export const dateFilters: FilterFamily = {
  /**
   * Formats a date as strftime does; returns any other value unchanged. Dates are shown in UTC, whatever the time
   * zone of the host, or at their own offset if they have one. `now` is the time of the server's clock. With an empty
   * format the value is unchanged, too, as in Ruby's Liquid.
   * @example {{ 'March 14, 2016' | date: '%b %d, %y' }} → Mar 14, 16
   */
  date: {
    takes: [0, 1],
    apply: (input: JsonValue, [format], run: Run) => {
      const pattern = format === undefined ? defaultFormat : toText(format, run)
      const moment = pattern === '' ? undefined : parseMoment(input, run.sources.nowMs)
      if (!moment) return input
      return strftime(moment, pattern, (width, length) => {
        run.meter.step(4)
        if (width > longestField) throw unsuitable(`pads to at most ${longestField} characters`)
        run.meter.text(length + width)
      })
    },
  },
}

const longestField = 1_000

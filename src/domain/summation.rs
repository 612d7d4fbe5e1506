//! Compensated summation (`advantage-math.md` 2.6).

/// Running Neumaier sum: the error stays near one rounding whatever the order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, value: f64) {
        let next = self.total + value;
        self.lost += if self.total.abs() >= value.abs() {
            (self.total - next) + value
        } else {
            (value - next) + self.total
        };
        self.total = next;
    }

    pub(super) fn value(self) -> f64 {
        self.total + self.lost
    }

    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> f64 {
        let mut sum = Self::default();
        for value in values {
            sum.add(value);
        }
        sum.value()
    }
}

//! Agreement of rankings and their aggregation (`advantage-math.md` section 3). Helper A.

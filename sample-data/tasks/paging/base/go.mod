module example.org/paging

go 1.21
